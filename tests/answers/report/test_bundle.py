"""A run as a file: written, read, replayed without a network, compared; and as a page."""

from __future__ import annotations

import hashlib
import json
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from lxml import html

from kensaku import Hit
from kensaku.answers.report.bundle import page_hashes
from kensaku.errors import InvalidQuery
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

from .states import PAGE, finished

TASK = "How do sea otters sleep? What do sea otters eat each day?"


async def run(k: Any, task: str = TASK, **options: Any) -> State:
    """Run a task and return its last state."""
    states: list[State] = []
    await run_research(start(task, options), k, save=states.append)
    return states[-1]


async def test_a_replay_needs_no_network(client: Any, web: Web, tmp_path: Path) -> None:
    """The same evidence gives the same report."""
    state = await run(client())
    write_bundle(state, tmp_path / "run.zip")
    asked = len(web.upstream.requests)
    again, report = await replay_run(read_bundle(tmp_path / "run.zip"))

    assert report == report_of(state)
    assert not compare_runs(state, again)
    assert len(web.upstream.requests) == asked


async def test_a_replay_has_what_the_model_said(
    client: Any, web: Web, model: Model, tmp_path: Path
) -> None:
    """Its citations are checked again; it is not asked."""
    model.plans("How do sea otters sleep?")
    model.says("Write", '## Sleep\n\nThey hold hands [1: "hold hands while they sleep"].')
    state = await run(client(**model.settings))
    write_bundle(state, tmp_path / "run.zip")
    asked = len(web.upstream.requests)
    _, report = await replay_run(read_bundle(tmp_path / "run.zip"))

    assert report.written_by == "small"
    assert report.text == report_of(state).text
    assert "They hold hands. [1]" in (report.text or "")
    assert len(web.upstream.requests) == asked


async def test_a_replay_fills_a_schema_again(client: Any, model: Model, tmp_path: Path) -> None:
    """From the model's own values."""
    schema = {"properties": {"habit": {"type": "string", "description": "how they sleep"}}}
    model.plans("How do sea otters sleep?")
    basis = {"habit": {"source": 1, "quote": "hold hands while they sleep"}}
    model.says("Fill", {"content": {"habit": "hold hands"}, "basis": basis})
    state = await run(client(**model.settings), output_schema=schema)
    write_bundle(state, tmp_path / "run.zip")
    _, report = await replay_run(read_bundle(tmp_path / "run.zip"))

    assert report.structured == {"habit": "hold hands"} == report_of(state).structured


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
        {"manifest.json": "[]"},
        {"manifest.json": '{"version": 2, "files": {}}'},
        {"manifest.json": '{"version": 1, "files": {"nowhere": "0"}}'},
        {"manifest.json": '{"version": 1, "files": {}}'},
    ],
)
def test_what_is_no_bundle_is_said(files: dict[str, str], tmp_path: Path) -> None:
    """In one sentence with its name."""
    path = tmp_path / "x.zip"
    with zipfile.ZipFile(path, "w") as bundle:
        for name, text in files.items():
            bundle.writestr(name, text)

    with pytest.raises(InvalidQuery, match=r"x\.zip"):
        read_bundle(path)
    path.write_bytes(b"PK no zip")
    with pytest.raises(InvalidQuery, match="is no bundle"):
        read_bundle(path)
    with pytest.raises(InvalidQuery, match="cannot be read"):
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


# --- by hand


def hashed(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def test_a_bundle_is_these_files_to_the_byte(tmp_path: Path) -> None:
    """Anybody can check it; the same run gives the same bytes."""
    state, path = finished(), tmp_path / "run.zip"
    page = json.dumps(PAGE, ensure_ascii=False, sort_keys=True, indent=1).encode()
    searches = [f"searches/{n}.json" for n in ("search-1-1", "search-1-2", "search-2-2")]
    names = [f"pages/{hashed(page)}.json", "report.md", "run.json", *searches]

    write_bundle(state, path)
    first = path.read_bytes()
    write_bundle(state, str(path))
    with zipfile.ZipFile(path) as bundle:
        files = {entry.filename: bundle.read(entry) for entry in bundle.infolist()}
        entries = bundle.infolist()

    assert path.read_bytes() == first
    assert list(tmp_path.iterdir()) == [path]
    assert list(files) == ["manifest.json", *names]
    assert {(e.date_time, e.compress_type) for e in entries} == {
        ((1980, 1, 1, 0, 0, 0), zipfile.ZIP_DEFLATED)
    }
    assert json.loads(files["manifest.json"]) == {
        "version": 1,
        "input": "otters",
        "files": {name: hashed(files[name]) for name in names},
    }
    assert files["report.md"].decode() == state.results["write"]["text"]
    assert files[names[0]] == page
    run_file = json.loads(files["run.json"])
    assert run_file["order"] == list(state.results)
    assert run_file["request"] == state.request.to_dict()
    assert list(run_file["results"]) == sorted(
        n for n in state.results if not n.startswith("search-")
    )
    assert run_file["results"]["read-1"]["pages"] == [hashed(page)]
    assert page_hashes(state) == {PAGE["url"]: hashed(page)}
    again = read_bundle(path)
    assert again == state
    assert list(again.results) == list(state.results)


def test_a_run_without_a_report_has_an_empty_one(tmp_path: Path) -> None:
    """Nobody could search, or it is not finished."""
    none = finished()
    for results in ({**none.results, "write": {**none.results["write"], "text": None}},
                    {n: r for n, r in none.results.items() if n != "write"}):  # fmt: skip
        write_bundle(State(none.request, results), tmp_path / "run.zip")
        with zipfile.ZipFile(tmp_path / "run.zip") as bundle:
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


def changed(path: Path, **files: bytes) -> Path:
    """A bundle with other files, and a manifest that knows them."""
    write_bundle(finished(), path)
    with zipfile.ZipFile(path) as bundle:
        kept = {n: bundle.read(n) for n in bundle.namelist()}
    manifest = json.loads(kept["manifest.json"])
    for name, data in files.items():
        kept[name] = data
        manifest["files"][name] = hashed(data)
    kept["manifest.json"] = json.dumps(manifest).encode()
    with zipfile.ZipFile(path, "w") as bundle:
        for name, data in kept.items():
            bundle.writestr(name, data)
    return path


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (b"{", "JSONDecodeError"),
        (b"[]", "TypeError"),
        (b"{}", "KeyError"),
        (b'{"order": ["plan"], "results": {}}', "KeyError"),
        (b'{"order": ["search-9-9"], "results": {}}', "KeyError"),
    ],
)
def test_what_a_bundle_holds_must_be_readable(tmp_path: Path, text: bytes, why: str) -> None:
    """Although its manifest is right."""
    path = changed(tmp_path / "run.zip", **{"run.json": text})

    with pytest.raises(InvalidQuery) as caught:
        read_bundle(path)
    assert str(caught.value) == f"{path} is no bundle of research ({why})"


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
