"""What the harness writes down: requests, without keys; and a row, without touching the others."""

from __future__ import annotations

from pathlib import Path

import httpx

from kensaku.testing import FakeUpstream
from tests.programs.page import BEGIN, END, HEADS, rows, write_row
from tests.programs.program import Program
from tests.programs.tap import Tap


def test_the_tap_passes_everything_on_and_writes_no_key(tmp_path: Path):
    """The log of a run may be shown to anybody."""
    log = tmp_path / "requests.jsonl"
    with FakeUpstream.in_thread() as up, Tap(log) as tap:
        tap.upstream = up.url
        up.serves("/page", "otters", "text/plain")
        found = httpx.get(tap.url + "/page?api_key=ksk_secret")
        missing = httpx.post(tap.url + "/nothing", headers={"Authorization": "Bearer ksk_secret"})

    assert (found.status_code, found.text) == (200, "otters")
    assert (missing.status_code, missing.json()["error"][:8]) == (404, "the fake")
    assert [str(seen) for seen in tap.seen] == ["GET /page → 200", "POST /nothing → 404"]
    assert [seen.refused for seen in tap.seen] == [False, True]
    assert "ksk_secret" not in log.read_text()


def test_a_run_of_one_program_leaves_the_other_rows(tmp_path: Path):
    """A whole run takes an hour; most runs are of one program."""
    page = tmp_path / "programs.md"
    head = "".join(f"| {' | '.join(row)} |\n" for row in (HEADS, ["---"] * len(HEADS)))
    page.write_text(f"# Programs\n\n{BEGIN}{head}{END}\n\nThe end.\n")

    for name, said in (("zed", "ok"), ("acme", "ok"), ("zed", "AssertionError: no")):
        program = Program(name, title=name, package=name, way="`a|b`")
        write_row(program, "1.0", {"search": said, "chat": "ok"}, 3, 0, page)

    written = rows(page)
    assert list(written) == ["acme", "zed"]
    assert written["acme"][1:5] == ["1.0", "`a\\|b`", "search, chat", "3, 0 refused"]
    assert written["zed"][3] == "chat ✗ search"
    assert page.read_text().endswith("The end.\n")
