# SPDX-License-Identifier: GPL-2.0-only
"""Files that are written, and how wide the pages are."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from linuxhost.errors import InputError
from linuxhost.files import check_output, write_bytes


def test_what_cannot_be_written_is_refused(tmp_path: Path) -> None:
    for path, part in (
        (tmp_path, "a folder that is there"),
        (tmp_path / "no" / "x.svg", "a folder that is there"),
        (tmp_path / "x.gif", ".svg, .png"),
        (Path("/proc/x.svg"), "can be written"),
    ):
        with pytest.raises(InputError, match=part) as told:
            check_output("out", path, (".svg", ".png") if path.suffix else ())
        assert str(told.value).startswith(f"--out={path}: allowed is ")
    check_output("out", tmp_path / "x.svg")
    check_output("out", Path("/dev/null"))
    assert list(tmp_path.iterdir()) == [], "checking leaves nothing behind"


def test_a_link_and_a_pipe_stay_what_they_are(tmp_path: Path) -> None:
    write_bytes(tmp_path / "file", b"one")
    (tmp_path / "link").symlink_to("file")
    write_bytes(tmp_path / "link", b"two")
    assert (tmp_path / "link").is_symlink() and (tmp_path / "file").read_bytes() == b"two"
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    write_bytes(tmp_path / "pipe", b"three")
    assert os.read(reader, 9) == b"three" and (tmp_path / "pipe").is_fifo()
    os.close(reader)


@pytest.mark.parametrize(
    "page", sorted((Path(__file__).parents[2] / "doc").glob("*.rst")), ids=lambda page: page.name
)
def test_pages_fit_112_columns(page: Path) -> None:
    wide = [line for line in page.read_text(encoding="utf-8").splitlines() if len(line) > 112]
    assert not wide
