# SPDX-License-Identifier: GPL-2.0-only
"""Files that are written: checked before anything is played, and whole or not there at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from .errors import InputError


def _is_in_place(path: Path) -> bool:
    """Whether a file is to stay what it is: a device, a pipe, a link such as /dev/stdout."""
    return path.is_symlink() or (path.exists() and not path.is_file())


def check_output(
    option: str, path: Path, endings: Sequence[str] = (), inputs: Iterable[Path] = ()
) -> None:
    """Refuse a file that cannot be written, or is read; an argument has a name in capitals."""
    name = option if option.isupper() else f"--{option}"

    def refuse(allowed: str) -> InputError:
        return InputError(f"{name}={path}: allowed is {allowed}")

    if endings and path.suffix.lower() not in endings:
        raise refuse("a name that ends in " + ", ".join(endings))
    if any(path.exists() and read.exists() and path.samefile(read) for read in inputs):
        raise refuse("another file than those that are read")
    folder = path.absolute().parent
    if path.is_dir() or not folder.is_dir():
        raise refuse("a file in a folder that is there")
    try:
        if not _is_in_place(path):
            # Permissions do not tell all: the file system may be read-only.
            tempfile.TemporaryFile(dir=folder).close()
        elif not os.access(path, os.W_OK):
            raise PermissionError(0, "it may not be written")
    except OSError as error:
        raise refuse(f"a file that can be written ({error.strerror})") from None


def write_bytes(path: Path, data: bytes) -> None:
    """Write a file that appears whole or not at all."""
    if _is_in_place(path):
        path.write_bytes(data)
        return
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(name, 0o666 & ~umask)
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise
