"""Every record once, whatever the shards; hostile ones are counted, and cost no memory."""

from __future__ import annotations

import gzip
import io
import json
import random
import tracemalloc
from collections import Counter

import fsspec
import pyarrow
import pyarrow.parquet
import pytest
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from kensaku.errors import InvalidQuery
from kensaku.jobs.sources import RawPage, Rejected, plan_shards, records_of
from kensaku.jobs.sources import jsonl as jsonl_source
from kensaku.jobs.sources import parquet as parquet_source
from kensaku.jobs.sources import warc as warc_source
from kensaku.models import Document


def rows(n):
    return [{"url": f"https://e.org/{i}", "title": f"t{i}", "text": f"text {i}"} for i in range(n)]


def lines(values):
    return "".join(json.dumps(v) + "\n" for v in values).encode()


def everything(*sources):
    shards = plan_shards(map(str, sources))
    return shards, [item.record for shard in shards for item in records_of(shard)]


def reasons(records):
    return Counter(r.reason for r in records if isinstance(r, Rejected))


def urls(records):
    return [r.url for r in records if not isinstance(r, Rejected)]


@pytest.mark.parametrize("size", [1, 7, 50, 333, 10_000])
def test_byte_ranges_give_every_line_once(size, tmp_path, monkeypatch):
    """Wherever the cuts are: in a line, before or after a newline."""
    monkeypatch.setattr(jsonl_source, "SHARD", size)
    file = tmp_path / "d.jsonl"
    chance = random.Random(size)
    values = [{**row, "text": "x" * chance.randint(1, 90)} for row in rows(40)]
    file.write_bytes(lines(values).rstrip(b"\n"))

    shards, records = everything(file)

    assert urls(records) == [row["url"] for row in values]
    assert sum(shard.size for shard in shards) == file.stat().st_size
    assert len(shards) == -(-file.stat().st_size // size)


def test_hostile_lines_are_counted_and_the_others_are_read(tmp_path):
    """Nothing in a file is fatal."""
    good, file = rows(2), tmp_path / "d.jsonl"
    bad = [
        b"{not json",
        b"[" * 100_000,
        b'{"url": "https://e.org/latin", "text": "caf\xe9"}',
        b"[1, 2]",
        b'{"text": "no url"}',
        b'{"url": "https://e.org/x"}',
        b'{"url": "https://e.org/x", "text": "   "}',
        b'{"url": 7, "text": "x"}',
        b'{"url": "https://e.org/x", "text": ["a"]}',
        b'{"url": "https://e.org/x", "text": "a", "metadata": 5}',
        b'{"url": "' + b"u" * 5_000 + b'", "text": "a"}',
        b"",
    ]
    file.write_bytes(lines(good[:1]) + b"\n".join(bad) + b"\n" + lines(good[1:]))

    _, records = everything(file)

    assert urls(records) == ["https://e.org/0", "https://e.org/1"]
    assert reasons(records) == {
        "not JSON": 2,
        "wrong encoding": 1,
        "not an object": 1,
        "without url": 2,
        "without text": 3,
        "metadata is no object": 1,
        "url too long": 1,
    }


def test_a_line_that_never_ends_costs_no_memory(tmp_path):
    """A gzip bomb of one line: 300 MB in 300 kB."""
    file = tmp_path / "bomb.jsonl.gz"
    with gzip.open(file, "wb") as out:
        out.write(b'{"url": "https://e.org/0", "text": "first"}\n{"text": "')
        for _ in range(300):
            out.write(b"a" * 1_000_000)
        out.write(b'"}\n{"url": "https://e.org/1", "text": "last"}\n')

    tracemalloc.start()
    _, records = everything(file)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert urls(records) == ["https://e.org/0", "https://e.org/1"]
    assert reasons(records) == {"line too long": 1}
    assert peak < 100_000_000


def test_a_file_that_is_cut_off_gives_what_it_has(tmp_path):
    """A download that broke."""
    whole = gzip.compress(lines(rows(2_000)))
    (tmp_path / "cut.jsonl.gz").write_bytes(whole[: len(whole) // 2])

    _, records = everything(tmp_path / "cut.jsonl.gz")

    assert len(urls(records)) > 100
    assert sum(reasons(records).values()) == 1


def test_parquet_is_split_by_row_groups(tmp_path, monkeypatch):
    """Each row once, its columns as the fields of a document."""
    monkeypatch.setattr(parquet_source, "SHARD", 1)
    table = pyarrow.Table.from_pylist([*rows(250), {"url": None, "title": "", "text": "x"}])
    file = tmp_path / "d.parquet"
    pyarrow.parquet.write_table(table, file, row_group_size=60)

    shards, records = everything(file)

    assert len(shards) == 5
    assert urls(records) == [row["url"] for row in rows(250)]
    assert reasons(records) == {"without url": 1}
    assert records[3] == Document(url="https://e.org/3", title="t3", text="text 3")


def test_a_broken_parquet_file_is_one_rejected_record(tmp_path):
    """The others of the folder are read."""
    (tmp_path / "a.parquet").write_bytes(b"PAR1 not really")
    (tmp_path / "b.jsonl").write_bytes(lines(rows(2)))

    _, records = everything(tmp_path)

    assert len(urls(records)) == 2
    assert sum(reasons(records).values()) == 1


# The writer does not close its temporary files.
warc = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")


@warc
def test_a_record_of_the_greatest_length_is_read_and_a_longer_one_is_not(tmp_path, monkeypatch):
    """In every format. A line counts with its end."""
    texts = {"fits": "a" * 400, "too long": "a" * 401}
    rows = [{"url": f"https://e.org/{n}", "text": t} for n, t in enumerate(texts.values())]
    table = pyarrow.Table.from_pylist(rows)
    pyarrow.parquet.write_table(table, tmp_path / "d.parquet")
    (tmp_path / "d.jsonl").write_bytes(lines(rows))
    with (tmp_path / "d.warc").open("wb") as out:
        writer = WARCWriter(out, gzip=False)
        for row in rows:
            body = io.BytesIO(row["text"].encode())
            writer.write_record(writer.create_warc_record(row["url"], "conversion", payload=body))
    url = len(rows[0]["url"])
    for source, name, most in (
        (jsonl_source, "d.jsonl", len(lines(rows[:1]))),
        (parquet_source, "d.parquet", url + 400),
        (warc_source, "d.warc", 400),
    ):
        monkeypatch.setattr(source, "MAX_RECORD", most)

        _, records = everything(tmp_path / name)

        assert urls(records) == ["https://e.org/0"], name
        assert sum(reasons(records).values()) == 1, name


def write_warc(path, compressed=True):
    with path.open("wb") as out:
        writer = WARCWriter(out, gzip=compressed)

        def add(kind, url, body, content_type="text/html", status="200 OK"):
            headers = None
            if kind == "response":
                headers = StatusAndHeaders(status, [("Content-Type", content_type)], "HTTP/1.1")
            record = writer.create_warc_record(
                url, kind, payload=io.BytesIO(body), http_headers=headers
            )
            writer.write_record(record)

        add("response", "https://e.org/page", b"<title>t</title><p>An HTML page.</p>")
        add("response", "https://e.org/image", b"\x89PNG", "image/png")
        add("response", "https://e.org/gone", b"gone", status="404 Not Found")
        add("metadata", "https://e.org/page", b"ignored")
        add("conversion", "https://e.org/wet", "The title\nText of it, 検索.".encode())
        add("conversion", "urn:x", b"no page")


@warc
@pytest.mark.parametrize("name", ["d.warc.gz", "d.warc", "d.warc.wet.gz"])
def test_warc_responses_are_pages_and_conversions_documents(name, tmp_path):
    """What is no page is counted, by reason."""
    write_warc(tmp_path / name, compressed=name.endswith(".gz"))

    _, records = everything(tmp_path / name)

    page, document = (r for r in records if not isinstance(r, Rejected))
    assert page == RawPage(
        "https://e.org/page", b"<title>t</title><p>An HTML page.</p>", "text/html"
    )
    assert (document.url, document.title) == ("https://e.org/wet", "The title")
    assert "検索" in document.text
    assert reasons(records) == {
        "not a page (type)": 1,
        "not a page (status)": 1,
        "without url": 1,
    }


@warc
def test_a_cut_or_foreign_warc_is_reported(tmp_path):
    """What stands before the damage is kept."""
    write_warc(tmp_path / "d.warc.gz")
    whole = (tmp_path / "d.warc.gz").read_bytes()
    (tmp_path / "d.warc.gz").write_bytes(whole[:-30])
    (tmp_path / "e.warc").write_bytes(b"hello\n" * 1_000)

    _, records = everything(tmp_path)

    assert "https://e.org/page" in urls(records)
    assert any(reason.startswith("unreadable") for reason in reasons(records))


def test_a_folder_holds_all_formats_and_hidden_files_are_left_out(tmp_path):
    """Small files share a shard."""
    (tmp_path / "a.html").write_text("<p>one</p>")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "b ä.md").write_text("# two")
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "c.md").write_text("hidden")
    (tmp_path / "d.jsonl").write_bytes(lines(rows(1)))

    shards, records = everything(tmp_path)

    assert sorted(shard.format for shard in shards) == ["files", "jsonl"]
    assert sorted(urls(records)) == sorted(
        [
            (tmp_path / "a.html").as_uri(),
            (tmp_path / "sub" / "b ä.md").as_uri(),
            "https://e.org/0",
        ]
    )


def test_object_stores_are_read_by_their_url():
    """fsspec knows them; here the one in memory."""
    with fsspec.open("memory://bucket/deep/d.jsonl.gz", "wb") as out:
        out.write(gzip.compress(lines(rows(3))))

    _, records = everything("memory://bucket/deep")

    assert len(urls(records)) == 3


@pytest.mark.parametrize(
    "source", ["ftp://e.org/x", "s3://key:secret@bucket/x", "python://x", "/nowhere/at/all"]
)
def test_sources_that_cannot_be_read_are_refused(source):
    """Before a job is stored, and without the password."""
    with pytest.raises(InvalidQuery) as refused:
        plan_shards([source])
    assert "secret" not in str(refused.value)
