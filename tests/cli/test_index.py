"""`kensaku index`: files, folders and pages in, documents out; nothing lost, nothing made up."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from kensaku.testing import FakeUpstream

from .conftest import Cli
from .examples import page

PDF = (
    b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count"
    b" 1>>endobj\n3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 144]/Contents 4 0 R/Resources"
    b"<</Font<</F1<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>>>endobj\n4 0 obj<</Length 60"
    b">>stream\nBT /F1 18 Tf 20 100 Td (Walrus tusks grow all life) Tj ET\nendstream endobj\n"
    b"trailer<</Root 1 0 R>>\n"
)


def found(cli: Cli, query: str, collection: str = "default") -> list[str]:
    """The titles that a search of the local index gives."""
    words = ["search", query, "--route", "local", "--collection", collection]
    return [hit["title"] for hit in cli(*words, "--json", "--no-cache").json["hits"]]


def test_a_folder_is_read_and_what_is_no_text_is_counted(notes: Path, cli: Cli) -> None:
    """Recursively; hidden files, links, pipes, binaries and empty files are passed over."""
    done = cli("index", "add", notes)

    assert done.status == 0
    assert done.out == "default: 3 added, 0 updated, 0 unchanged\n"
    assert "passed over: 2 binary, 1 empty, 2 hidden, 1 link, 1 special" in done.err
    assert found(cli, "hold hands") == ["Otters"]
    assert found(cli, "手をつなぐ") == ["ラッコ"]
    assert found(cli, "swim") == ["swim.py"]  # code is no HTML, and its first line no title


def test_a_folder_again_takes_in_what_changed_and_takes_out_what_is_gone(
    notes: Path, cli: Cli
) -> None:
    """A file that became empty, or a picture, holds no text any more."""
    cli("index", "add", notes)
    (notes / "otters.md").write_text("# Otters\n\nThey eat clams.\n")
    (notes / "deep" / "swim.py").unlink()
    (notes / "deep" / "ラッコ.txt").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(100))
    told = cli("index", "add", notes, "--json").json

    counts = [told[name] for name in ("added", "updated", "unchanged", "removed")]
    assert counts == [0, 1, 0, 2]
    assert cli("index", "list", "--collection", "default").out.split() == [
        (notes / "otters.md").as_uri()
    ]


def test_other_folders_and_pages_are_left_alone(
    notes: Path, tmp_path: Path, up: FakeUpstream, cli: Cli
) -> None:
    """Only what stood under the folder can be gone from it, even beside one with a longer name."""
    beside = tmp_path / "my notes too"
    beside.mkdir()
    (beside / "seal.md").write_text("# Seals\n\nThey bark.")
    url = up.serves("/otters", page("Web otters"))
    cli("index", "add", notes, beside, url)
    (beside / "seal.md").rename(tmp_path / "seal.md")

    assert "removed" not in cli("index", "add", notes).out
    assert len(cli("index", "list", "--collection", "default", "--json").json) == 5


def test_files_of_every_kind_are_read_for_their_type(tmp_path: Path, cli: Cli) -> None:
    """HTML, CSV, JSON and PDF, by name and by their first bytes."""
    (tmp_path / "a.html").write_text(page("Kelp forests"))
    (tmp_path / "b.csv").write_text("animal,food\nurchin,kelp\n")
    (tmp_path / "c.json").write_text('{"title": "Clams", "text": "buried"}')
    (tmp_path / "d.dat").write_bytes(PDF)
    done = cli("index", "add", *(tmp_path / n for n in ("a.html", "b.csv", "c.json", "d.dat")))

    assert done.out == "default: 4 added, 0 updated, 0 unchanged\n"
    assert found(cli, "forests")[0] == "Kelp forests"
    assert found(cli, "urchin") == ["b.csv"]
    assert found(cli, "buried") == ["Clams"]
    assert found(cli, "tusks") == ["Walrus tusks grow all life"]


def test_pages_of_the_web_are_fetched(up: FakeUpstream, cli: Cli) -> None:
    """One that cannot be had is named; when none can, it is a failure."""
    url = up.serves("/otters", page("Web otters"))
    done = cli("index", "add", url, url, f"{up.url}/gone", "--collection", "web")

    assert (done.status, done.out) == (0, "web: 1 added, 0 updated, 0 unchanged\n")
    assert "/gone: " in done.err
    assert cli("index", "add", f"{up.url}/gone").status == 1
    assert cli("index", "add", f"{up.url}/gone", url, "--collection", "web").status == 0


def test_the_shell_of_an_app_is_not_indexed(up: FakeUpstream, cli: Cli) -> None:
    """ "Please enable JavaScript" answers no question."""
    shell = "<title>App</title><div id=root></div><noscript>Please enable JavaScript.</noscript>"
    done = cli("index", "add", up.serves("/app", f"{shell}<script src=a.js></script>"))

    assert done.status == 1
    assert "JavaScript" in done.err


def test_a_collection_that_is_not_there_is_named_with_the_nearest(
    library: Path, cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And nothing is written."""
    monkeypatch.chdir(tmp_path)
    actions = ("delete u:1", "drop", "documents", "rm u:1", "rm", "list", "stats", "optimize")
    for action in (*actions, "export out.jsonl"):
        done = cli("index", *action.split(), "--collection", "defualt")

        assert (done.status, done.out) == (2, ""), action
        assert "there is no collection 'defualt'; did you mean 'default'?" in done.err
    assert not (tmp_path / "out.jsonl").exists()


def test_a_file_that_holds_no_text_is_told_when_it_was_named(notes: Path, cli: Cli) -> None:
    """In a folder it is counted; by itself it is what went wrong."""
    done = cli("index", "add", notes / "photo.png")

    assert done.status == 1
    assert "photo.png: the document is a PNG image, from which no text can be had" in done.err


def test_an_empty_index_says_how_to_fill_it(cli: Cli) -> None:
    """Nothing on stdout, no failure."""
    done = cli("index", "list")

    assert (done.status, done.out) == (0, "")
    assert "kensaku index add" in done.err


def test_collections_of_other_applications_are_listed_as_foreign(cli: Cli, monkeypatch) -> None:
    """On a Qdrant server that is shared."""
    client = pytest.importorskip("qdrant_client")
    from tests.index.qdrant_http import QdrantServer

    with QdrantServer() as server:
        monkeypatch.setenv("KENSAKU_INDEX_URL", server.url)
        other = client.QdrantClient(url=server.url, check_compatibility=False)
        params = client.models.VectorParams(size=4, distance=client.models.Distance.COSINE)
        other.create_collection("faq", vectors_config=params)
        other.close()

        assert cli("index", "list").out == "faq (foreign)\n"
        assert cli("index", "list", "--json").json == ["faq"]
        assert cli("index", "stats").out.splitlines()[1].split() == [
            "faq",
            "0",
            "0",
            "–",
            "–",
            "(foreign)",
        ]


def test_collections_are_listed_and_counted(notes: Path, library: Path, cli: Cli) -> None:
    """Names, figures, and the same as JSON."""
    cli("index", "add", notes, "--collection", "notes")

    assert cli("index", "collections").out == "default\nnotes\n"
    assert cli("index", "list").out == "default\nnotes\n"
    assert cli("index", "documents").out == "https://local.example/\n"
    assert cli("index", "documents", "--collection", "notes").out.count("file:///") == 3
    row = cli("index", "stats", "--collection", "notes").out.splitlines()[1].split()
    assert row[:2] == ["notes", "3"]
    assert cli("index", "stats", "--json").json["default"]["documents"] == 1


def test_documents_are_removed_by_address_by_path_or_all_together(
    notes: Path, library: Path, cli: Cli
) -> None:
    """A folder with all that is in it; an address from wherever it is; a collection whole."""
    cli("index", "add", notes, "--collection", "notes")

    assert cli("index", "delete", "https://local.example/").out == "1 document removed\n"
    assert cli("index", "delete", f"{notes / 'deep'}/").out == "2 documents removed\n"
    assert cli("index", "rm", notes / "deep", "--json").json == {"removed": 0}
    assert cli("index", "drop", "--collection", "notes").out == "1 document removed\n"
    assert cli("index", "rm", "--collection", "default").out == "0 documents removed\n"
    assert cli("index", "collections").out == ""


def test_a_path_may_be_relative_or_begin_at_home(
    notes: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Links are followed; what was added by one name is found by another, however it is written."""
    (notes.parent / "link").symlink_to(notes)
    (notes / "deep" / os.fsdecode(b"\xff.txt")).write_text("Walruses.")
    monkeypatch.chdir(notes / "deep")

    assert cli("index", "add", "../otters.md").out == "default: 1 added, 0 updated, 0 unchanged\n"
    again = cli("index", "add", "~/link").out
    assert again == "default: 3 added, 0 updated, 1 unchanged\n"
    (notes / "deep" / os.fsdecode(b"\xff.txt")).unlink()
    gone = cli("index", "add", "..").out
    assert gone == "default: 0 added, 0 updated, 3 unchanged, 1 removed\n"
    assert cli("index", "export", "~/a.jsonl").out == "3 documents exported\n"
    assert cli("index", "delete", "../otters.md").out == "1 document removed\n"
    assert cli("index", "delete", "~/link/deep").out == "2 documents removed\n"


def test_an_export_can_be_imported_elsewhere(
    notes: Path, cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Word for word; importing twice adds once."""
    cli("index", "add", notes, "--collection", "notes")
    file = tmp_path / "notes.jsonl"
    assert cli("index", "export", file).out == "3 documents exported\n"
    monkeypatch.setenv("KENSAKU_HOME", str(tmp_path / "other"))

    assert cli("index", "import", file).out == "3 added, 0 updated, 0 unchanged\n"
    again = cli("index", "import", file, "--collection", "notes", "--json").json
    assert again == {"added": 0, "updated": 0, "unchanged": 3}
    copy = tmp_path / "copy.jsonl"
    cli("index", "export", copy, "--collection", "notes")
    assert sorted(copy.read_text().splitlines()) == sorted(file.read_text().splitlines())
    assert cli("index", "optimize").out == "1 collection optimized\n"


WHOLE = {
    "url": "u:1", "title": "One", "text": "otter", "published": "2026-01-31", "language": "en",
    "collection": "default", "metadata": {"a": 1},
}  # fmt: skip


def test_only_the_address_of_an_exported_document_is_needed(tmp_path: Path, cli: Cli) -> None:
    """Empty lines are none, None is as good as nothing, and what is unknown is left alone."""
    rows = [
        WHOLE,
        {"url": "u:2"},
        dict.fromkeys(WHOLE) | {"url": "u:3"},
        {"url": "pydoc:4", "x": 1},
    ]
    file = tmp_path / "documents.jsonl"
    file.write_text("\n  \n".join(map(json.dumps, rows)) + "\n")

    assert cli("index", "import", file).out == "4 added, 0 updated, 0 unchanged\n"
    assert cli("index", "delete", "pydoc:4").out == "1 document removed\n"


def test_a_damaged_export_is_refused_whole(tmp_path: Path, cli: Cli) -> None:
    """The line is named, and what stands before it is not imported either."""
    file, good = tmp_path / "damaged.jsonl", json.dumps(WHOLE).encode()
    wrong: list[object] = [["u:1"], {"title": "no address"}, {"url": ""}, {"url": None}]
    wrong += [{**WHOLE, name: 5} for name in WHOLE] + [{**WHOLE, "metadata": ["a"]}]
    for damage in (good[:20], b"no JSON", *(json.dumps(row).encode() for row in wrong)):
        file.write_bytes(good + b"\n\n" + damage + b"\n")
        done = cli("index", "import", file)

        assert (done.status, done.out) == (2, ""), damage
        assert f"line 3 of {file} is not a document" in done.err, damage
        assert "nothing was imported" in done.err
    file.write_bytes(b"\x80\x81\xff\n" + good)
    assert f"line 1 of {file}" in cli("index", "import", file).err
    assert cli("index", "list").out == ""


@pytest.mark.usefixtures("processes")
def test_pydocs_is_a_collection_of_its_own(cli: Cli) -> None:
    """The documentation of this very Python; what it says can be searched at once."""
    done = cli("index", "add", "pydocs")

    assert done.status == 0
    assert done.out.startswith("pydocs: ")
    assert "indexing pydocs: 100 %" in done.err
    assert "asyncio.Task.cancel" in found(cli, "cancel an asyncio task", "pydocs")


def test_a_check_reads_every_document_and_a_salvaging_export_keeps_all_good_ones(
    notes: Path, tmp_path: Path, cli: Cli
) -> None:
    """Damage itself: tests/index/test_damage.py."""
    cli("index", "add", notes, "--collection", "whole")
    good = cli("index", "check")
    assert (good.status, good.out) == (0, "whole: 3 documents read, good\n")

    export = cli("index", "export", tmp_path / "a.jsonl", "--salvage", "--json")
    assert export.json["exported"] == 3
    assert cli("index", "check", "--collection", "nowhere").status == 2


def test_v_names_the_broken_documents_of_a_folder(cli: Cli, tmp_path: Path) -> None:
    """Each with what is wrong with it: a person can mend it."""
    (tmp_path / "report.pdf").write_bytes(b"%PDF-1.7\n" + b"\x00" * 64)
    (tmp_path / "letter.docx").write_bytes(b"PK\x03\x04" + b"\x00" * 64)
    (tmp_path / "fine.md").write_text("# Otters\n\nThey hold hands.")
    done = cli("index", "add", tmp_path, "-v")

    assert done.status == 0
    assert "report.pdf" in done.err
    assert "letter.docx" in done.err
    assert "damaged" in done.err
    assert "fine.md" not in done.err
