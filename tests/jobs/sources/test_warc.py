"""WARC: what a record of each kind becomes. The files are written by `warcio`."""

from __future__ import annotations

import io
from random import Random

import pytest

from kensaku.jobs.sources import RawPage, Rejected, plan_shards, records_of
from kensaku.models import Document

# The writer does not close its temporary files.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")

URL = "https://a.example/"


@pytest.fixture
def read(tmp_path):
    """Write records, `(kind, url, body, type, status, date)`, and read them back."""
    from warcio.statusandheaders import StatusAndHeaders
    from warcio.warcwriter import WARCWriter

    def read(*records, compressed=True):
        path = tmp_path / "d.warc.gz" if compressed else tmp_path / "d.warc"
        with path.open("wb") as out:
            writer = WARCWriter(out, gzip=compressed)
            for kind, url, body, content_type, status, date in records:
                headers, own = None, {"WARC-Date": date}
                if kind == "response":
                    named = [("Content-Type", content_type)] if content_type else []
                    headers = StatusAndHeaders(status, named, protocol="HTTP/1.1")
                made = writer.create_warc_record(
                    url, kind, payload=io.BytesIO(body), http_headers=headers,
                    warc_headers_dict=own, warc_content_type=content_type or "x/y",
                )  # fmt: skip
                writer.write_record(made)
        (shard,) = plan_shards([str(path)])
        items = list(records_of(shard))
        assert [item.done for item in items] == sorted(item.done for item in items)
        assert all(item.done <= shard.size for item in items)
        return [item.record for item in items]

    return read


def record(kind="response", url=URL, body=b"text", type="text/html", status="200 OK"):
    return kind, url, body, type, status, "2026-01-31T00:00:00Z"


@pytest.mark.parametrize("compressed", [True, False])
def test_responses_are_pages_and_conversions_documents(read, compressed):
    """Requests and metadata are passed over."""
    pages = ("text/html", "application/xhtml+xml", "application/pdf", "application/json")
    found = read(
        *(record(type=kind) for kind in pages),
        record(url=f"<{URL}>"),
        record("request", body=b"GET / HTTP/1.1\r\n\r\n"),
        record("metadata"),
        record("resource", type="Text/Plain; charset=x"),
        record("conversion", body=b" A \nB\xff"),
        record("conversion", body=b"x" * 300),
        compressed=compressed,
    )
    *raw, document, long = found

    expected = [RawPage(URL, b"text", kind) for kind in (*pages, "text/html")]
    assert raw == [*expected, RawPage(URL, b"text", "text/plain; charset=x")]
    date = "2026-01-31T00:00:00Z"
    assert document == Document(URL, "A", " A \nB\ufffd", published=date)
    assert long.title == "x" * 200  # of the first line


def test_what_is_no_page_is_rejected_and_the_next_is_read(read):
    """By reason, which the summary counts, with where it stands."""
    *rejected, last = read(
        record(url="urn:x"),
        record(status="404 Not Found"),
        record(type="image/png"),
        record(type=""),
        record("conversion", body=b" "),
        record(),
    )
    assert [r.reason for r in rejected] == [
        "without url",
        "not a page (status)",
        "not a page (type)",
        "not a page (type)",
        "without text",
    ]
    assert all("d.warc" in r.where for r in rejected)
    assert last == RawPage(URL, b"text", "text/html")


@pytest.mark.parametrize("compressed", [True, False])
def test_a_file_that_is_cut_off_keeps_what_stands_before(read, tmp_path, compressed):
    """The half of a page is none, and the damage is said once."""
    bodies = [Random(n).randbytes(3_000) for n in range(4)]
    read(*(record(body=body) for body in bodies), compressed=compressed)
    (path,) = tmp_path.glob("d.warc*")
    path.write_bytes(path.read_bytes()[:-1_000])
    (shard,) = plan_shards([str(path)])

    *pages, (damage, done) = records_of(shard)
    assert [item.record for item in pages] == [RawPage(URL, b, "text/html") for b in bodies[:-1]]
    assert isinstance(damage, Rejected)
    assert done == shard.size
