"""A run as a file: written, read, replayed without a network, compared; and as a page."""

from __future__ import annotations

import hashlib
import json
import sys
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from lxml import html

from kensaku import Hit, Outcome, Passage, Report
from kensaku.answers.evidence import Reference
from kensaku.answers.report.bundle import page_hashes
from kensaku.errors import InvalidQuery, MissingExtra
from kensaku.research import (
    State,
    compare_runs,
    read_bundle,
    replay_run,
    report_of,
    run_research,
    start,
    to_html,
    write_bundle,
)
from tests.answers.conftest import Model, Web

from .states import PAGE, A, finished

TASK = "How do sea otters sleep? What do sea otters eat each day?"


def hashed(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


async def run(k: Any, task: str = TASK, **options: Any) -> State:
    """Run a task and return its last state."""
    states: list[State] = []
    await run_research(start(task, options), k, save=states.append)
    return states[-1]


HABIT = {"properties": {"habit": {"type": "string", "description": "how they sleep"}}}
FILLED = {
    "content": {"habit": "hold hands"},
    "basis": {"habit": {"source": 1, "quote": "hold hands while they sleep"}},
}


@pytest.mark.parametrize("kind", ["extract", "text of a model", "values of a model"])
async def test_a_replay_needs_neither_network_nor_model(
    kind: str, client: Any, web: Web, model: Model, tmp_path: Path
) -> None:
    """The same evidence gives the same report; a model's citations are checked again."""
    model.plans("How do sea otters sleep?")
    model.says("Write", '## Sleep\n\nThey hold hands [1: "hold hands while they sleep"].')
    model.says("Fill", FILLED)
    options: dict[str, Any] = {"output_schema": HABIT} if kind.startswith("values") else {}
    state = await run(client(**(model.settings if kind != "extract" else {})), **options)
    write_bundle(state, tmp_path / "run.zip")
    asked = len(web.upstream.requests)
    again, report = await replay_run(read_bundle(tmp_path / "run.zip"))

    assert report == report_of(state)
    assert report.written_by == ("extract" if kind == "extract" else "small")
    assert report.structured == (FILLED["content"] if options else None)
    assert not compare_runs(state, again)
    assert len(web.upstream.requests) == asked


@pytest.mark.parametrize("name", ["run.json", "report.md", "searches/search-1-1.json"])
async def test_a_bundle_that_was_changed_is_refused(name: str, client: Any, tmp_path: Path) -> None:
    """By the hash of the file."""
    path = tmp_path / "run.zip"
    write_bundle(await run(client()), path)
    with zipfile.ZipFile(path) as bundle:
        files = {n: bundle.read(n) for n in bundle.namelist()}
    with zipfile.ZipFile(path, "w") as bundle:
        for n, data in files.items():
            bundle.writestr(n, data + b" " if n == name else data)

    with pytest.raises(InvalidQuery, match="was changed"):
        read_bundle(path)


@pytest.mark.parametrize(
    "files",
    [
        {},
        {"manifest.json": "{"},
        {"manifest.json": '{"version": 2, "files": {}}'},
        {"manifest.json": '{"version": 1, "files": {"nowhere": "0"}}'},
        {"manifest.json": '{"version": 1, "files": {}}'},
        {"run.json": "{"},
        {"run.json": "[]"},
        {"run.json": "{}"},
        {"run.json": '{"order": ["plan"], "results": {}}'},
        {"run.json": '{"order": ["search-9-9"], "results": {}}'},
    ],
)
def test_what_is_no_bundle_is_said(files: dict[str, str], tmp_path: Path) -> None:
    """In one sentence with its name; also where the manifest is right."""
    path = tmp_path / "x.zip"
    if run_file := files.get("run.json"):
        names = {"run.json": hashed(run_file.encode())}
        files = files | {"manifest.json": json.dumps({"version": 1, "files": names})}
    with zipfile.ZipFile(path, "w") as bundle:
        for name, text in files.items():
            bundle.writestr(name, text)

    with pytest.raises(InvalidQuery, match=r"x\.zip is (no bundle|of version 2)"):
        read_bundle(path)
    path.write_bytes(b"PK no zip")
    with pytest.raises(InvalidQuery, match=r"x\.zip is no bundle"):
        read_bundle(path)
    with pytest.raises(InvalidQuery, match=r"nowhere\.zip cannot be read"):
        read_bundle(tmp_path / "nowhere.zip")


async def test_an_unfinished_run_has_no_report_to_replay(client: Any) -> None:
    """It says so."""
    state = await run(client())
    partial = State(state.request, {n: r for n, r in state.results.items() if n != "write"})

    with pytest.raises(InvalidQuery, match="not finished"):
        await replay_run(partial)


async def test_the_page_links_citations_to_their_passages(client: Any) -> None:
    """And loads nothing."""
    report = report_of(await run(client()))
    page = html.fromstring(to_html(report))
    marks = {a.get("href") for a in page.xpath("//a[starts-with(@href, '#s')]")}

    assert marks == {f"#s{s.n}" for s in report.sources}
    assert all(page.xpath(f"//section[@id='{mark[1:]}']//blockquote") for mark in marks)
    assert page.xpath("//h1/text()") == [TASK]
    assert page.xpath("//meta[@http-equiv='Content-Security-Policy']")
    assert not page.xpath("//script|//img|//link|//iframe|//*[@onclick]")


async def test_a_hostile_page_stays_text(client: Any, web: Web) -> None:
    """Titles and passages are escaped, and so is the task."""
    evil = '<script>alert(1)</script>"><img src=x onerror=alert(1)>'
    web.finds("zorgle", Hit('https://e.example/"onclick=1', evil, f"The zorgle rests. {evil}"))
    report = report_of(await run(client(), "Where does the zorgle rest?"))
    page = html.fromstring(to_html(replace(report, input=evil)))

    assert report.sources
    assert not page.xpath("//script|//img|//*[@onclick or @onerror]")
    assert {a.get("href")[:5] for a in page.xpath("//a")} <= {"https", "#s1"}


def test_of_a_source_three_passages_are_shown() -> None:
    """A file is no link, nor is a mark without a source."""
    passages = tuple(Passage(A, f"<{n}>", n, n + 3) for n in range(4))
    sources = (Reference(1, A, "Sleep & rest", passages=passages), Reference(2, "file:n.txt", ""))
    page = to_html(Report("<otters>", "Hands. [1] [3]", None, sources, Outcome.FOUND))

    assert '<p>Hands. <a href="#s1">[1]</a> [3]</p>' in page
    assert page.count("<blockquote>") == 3
    assert "<p>[2] file:n.txt</p>" in page


def test_a_page_needs_the_packages_of_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    """And says how to install them."""
    monkeypatch.setitem(sys.modules, "kensaku.text.markdown", None)
    with pytest.raises(MissingExtra, match=r"kensaku-search\[server\]"):
        to_html(report_of(finished()))


# --- by hand


def test_anybody_can_check_a_bundle(tmp_path: Path) -> None:
    """Its manifest has the hash of every file; the same run gives the same bytes on any day."""
    state, path = finished(), tmp_path / "run.zip"
    page = json.dumps(PAGE, ensure_ascii=False, sort_keys=True, indent=1).encode()

    write_bundle(state, path)
    first = path.read_bytes()
    write_bundle(state, str(path))
    with zipfile.ZipFile(path) as bundle:
        files = {entry.filename: bundle.read(entry) for entry in bundle.infolist()}
        assert {entry.date_time for entry in bundle.infolist()} == {(1980, 1, 1, 0, 0, 0)}

    assert path.read_bytes() == first
    assert list(tmp_path.iterdir()) == [path]
    manifest = json.loads(files.pop("manifest.json"))
    assert manifest["files"] == {name: hashed(data) for name, data in files.items()}
    assert files[f"pages/{hashed(page)}.json"] == page
    assert page_hashes(state) == {PAGE["url"]: hashed(page)}
    assert files["report.md"].decode() == state.results["write"]["text"]
    again = read_bundle(path)
    assert again == state
    assert list(again.results) == list(state.results)

    failed = state.record("write", {**state.results["write"], "text": None})
    write_bundle(failed, path)
    with zipfile.ZipFile(path) as bundle:
        assert bundle.read("report.md") == b""


def test_a_bundle_that_cannot_be_written_is_a_sentence(tmp_path: Path) -> None:
    """And leaves nothing behind."""
    (tmp_path / "taken").mkdir()

    for path, why in ((tmp_path / "no" / "run.zip", "No such file or directory"),
                      (tmp_path / "taken", "Is a directory")):  # fmt: skip
        with pytest.raises(InvalidQuery) as caught:
            write_bundle(finished(), path)
        assert str(caught.value) == f"{path} cannot be written: {why}"
    assert [p.name for p in tmp_path.iterdir()] == ["taken"]


def test_a_bundle_that_unpacks_to_too_much_is_refused(tmp_path: Path) -> None:
    """By what it says about itself, before anything is unpacked; so are too many files."""
    bomb, many = tmp_path / "bomb.zip", tmp_path / "many.zip"
    with zipfile.ZipFile(bomb, "w") as bundle:
        bundle.writestr("manifest.json", b"{}")
    raw = bytearray(bomb.read_bytes())
    size = raw.index(b"PK\x01\x02") + 24  # in the central directory
    raw[size : size + 4] = (2**30).to_bytes(4, "little")
    bomb.write_bytes(raw)
    with zipfile.ZipFile(many, "w") as bundle:
        for number in range(10_001):
            bundle.writestr(f"pages/{number}", b"")

    for path in (bomb, many):
        with pytest.raises(InvalidQuery, match="is larger than 200 MiB, or has too many files"):
            read_bundle(path)
