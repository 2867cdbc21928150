# SPDX-License-Identifier: GPL-2.0-only
"""The report: one page that has everything in it, and that a browser opens without a complaint."""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from linuxhost import cli_pictures, report
from linuxhost.tables import InputError

DATA = Path(__file__).parent / "data" / "results.jsonl"
VOID = {"meta", "link", "br", "hr", "img", "input"}

app = typer.Typer()
cli_pictures.register(app)


@pytest.fixture(scope="module")
def page() -> str:
    return report.render([DATA], "Tunnels & <taps>").text


class Balance(HTMLParser):
    """Checks that elements are closed in order, and collects what they refer to."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.names: list[str] = []
        self.links: list[str] = []
        self.tags: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        for name, value in attrs:
            if name == "id" and value:
                self.names.append(value)
            if name in ("href", "src", "xlink:href") and value:
                self.links.append(value)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_page_is_whole_and_needs_nothing_else(page: str) -> None:
    parser = Balance()
    parser.feed(page)
    assert not parser.open
    assert len(parser.names) == len(set(parser.names))
    assert "script" not in parser.tags
    for link in parser.links:
        assert link.startswith(("#", "data:")), link
        if link.startswith("#"):
            assert link[1:] in parser.names
    assert not re.search(r"@import|url\((?!#)", page)
    assert 'name="viewport"' in page and "@media print" in page
    assert "prefers-color-scheme: dark" in page


def test_page_has_results_sources_and_what_was_fitted(page: str) -> None:
    assert "<title>Tunnels &amp; &lt;taps&gt;</title>" in page
    for line in DATA.read_text().splitlines():
        result = json.loads(line)
        assert f">{result['scenario']}<" in page
        for figure in result["free_parameters"]:
            assert html.escape(figure["provenance"], quote=False).replace("'", "&#39;") in page
    assert page.count('class="mark">fitted') >= 4
    # The figures of the patch's own message.
    assert "195.4" in page and "netdev 2010-09-28 sit: enable lockless xmits" in page
    assert page.count("<svg ") >= 5


def test_page_says_how_to_repeat(page: str) -> None:
    commands = html.unescape(re.sub("<[^>]+>", "", page))
    assert re.search(
        r"linuxhost run sit-lockless-xmit --variant=before --machine=dual-xeon-e5540 .*"
        r"--cpus=16 .*--seed=1",
        commands,
    )


def test_numbers_in_the_page_are_those_of_the_file(page: str) -> None:
    first = json.loads(DATA.read_text().splitlines()[0])
    pps = f"{first['metrics']['pps']:,.0f}".replace(",", "\u202f")
    share = 100 * first["ci95"]["pps"] / first["metrics"]["pps"]
    assert f"{pps} \u00b1 {share:.2g} %" in page


def test_same_page_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1285632000")
    one = report.render([DATA], "t").text
    assert one == report.render([DATA], "t").text
    assert "2010-09-28 00:00 UTC" in one


def test_a_point_of_two_files_counts_once(tmp_path: Path) -> None:
    copy = tmp_path / "copy.jsonl"
    copy.write_text(DATA.read_text())
    table, results, failed = report.gather([DATA, copy])
    count = len(DATA.read_text().splitlines())
    assert (len(table), len(results), failed) == (count, count, [])


def test_points_that_failed_are_told(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("cpus,seed,pps,error\n1,1,10,\n2,1,,it <broke>\n4,1,12,\n")
    page = report.render([path], "t").text
    assert "cpus=2: it &lt;broke&gt;" in page and "2 points." in page


def test_a_table_without_profiles_is_enough(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("cpus,variant,seed,pps,pps_ci95\n1,before,1,10,1\n2,before,1,15,1\n")
    page = report.render([path], "only numbers").text
    assert "<svg " in page and "Where the figures come from" not in page


def test_command(tmp_path: Path) -> None:
    out = tmp_path / "report.html"
    done = CliRunner().invoke(app, ["report", str(DATA), "--out", str(out), "--title", "Mine"])
    assert done.exit_code == 0, done.stderr
    assert "<title>Mine</title>" in out.read_text(encoding="utf-8")
    done = CliRunner().invoke(app, ["report", str(DATA), "--out", str(tmp_path / "x.pdf")])
    assert done.exit_code == 2 and "--out=" in done.stderr
    done = CliRunner().invoke(app, ["report", str(tmp_path / "no.db"), "--out", str(out)])
    assert done.exit_code == 2 and done.stderr.count("\n") == 1


@pytest.fixture(scope="module")
def browser() -> str:
    for name in ("chromium", "chromium-browser", "google-chrome", "chrome"):
        found = shutil.which(name)
        if found:
            return found
    pytest.skip("there is no Chromium (Debian, Ubuntu: apt-get install chromium)")


def browse(browser: str, path: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Open a page in a headless browser; what its console says is on standard error."""
    common = ["--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", "--v=0"]
    profile = f"--user-data-dir={path.parent / 'profile'}"
    return subprocess.run(
        [browser, *common, profile, *words, path.as_uri()],
        capture_output=True,
        text=True,
        timeout=90,
        check=False,
    )


def test_a_browser_has_nothing_to_complain_about(browser: str, page: str, tmp_path: Path) -> None:
    bad = tmp_path / "bad.html"
    bad.write_text("<script>console.error('complaint')</script>")
    if "complaint" not in browse(browser, bad, "--dump-dom").stderr:
        pytest.skip("this Chromium does not tell what its console says")
    path = tmp_path / "report.html"
    path.write_text(page, encoding="utf-8")
    shot = tmp_path / "shot.png"
    done = browse(browser, path, "--window-size=1100,1400", f"--screenshot={shot}")
    assert "CONSOLE" not in done.stderr, done.stderr
    assert shot.read_bytes().startswith(b"\x89PNG")
    # A blank picture of that size is far smaller.
    assert shot.stat().st_size > 30_000


@pytest.mark.parametrize("width", [390, 1100])
def test_the_page_itself_never_scrolls_sideways(
    browser: str, page: str, tmp_path: Path, width: int
) -> None:
    path = tmp_path / "report.html"
    frame = tmp_path / "frame.html"
    path.write_text(page, encoding="utf-8")
    inner = html.escape(page, quote=True)
    frame.write_text(
        f'<iframe style="width:{width}px;height:900px;border:0" srcdoc="{inner}" onload="'
        "const d=this.contentDocument.documentElement;"
        "document.title='w'+d.scrollWidth+'/'+d.clientWidth\"></iframe>",
        encoding="utf-8",
    )
    done = browse(browser, frame, "--dump-dom", "--virtual-time-budget=4000")
    found = re.search(r"<title>w(\d+)/(\d+)</title>", done.stdout)
    assert found is not None, done.stderr[-500:]
    assert int(found[1]) <= int(found[2]) <= width


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("free_parameters", [{"name": "x"}]),
        ("free_parameters", "x"),
        ("profile", [{"symbol": "x"}]),
        ("profile", 7),
        ("lines", [{"line": "x"}]),
        ("scenario", 7),
        ("machine", ["x"]),
        ("variant", None),
        ("seed", "x"),
        ("metrics", {"pps": "x"}),
        ("params", []),
    ],
)
def test_a_result_that_is_not_sound_is_refused(tmp_path: Path, name: str, value: object) -> None:
    whole = json.loads(DATA.read_text(encoding="utf-8").splitlines()[0])
    path = tmp_path / "r.jsonl"
    path.write_text(json.dumps({**whole, name: value}))
    with pytest.raises(InputError, match=f"line 1 has no sound {name}"):
        report.render([path], "t")
