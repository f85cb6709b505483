"""The arguments of jobs: what is stored of them, and what is refused."""

from __future__ import annotations

import pytest

from kensaku.errors import InvalidQuery, UnknownName
from kensaku.jobs import bulk, crawl

URL = "https://a.example/"


@pytest.mark.parametrize(
    ("given", "stored"),
    [
        ({"url": URL}, {"url": URL, "timeout": 3_600.0, "collection": "default"}),
        (
            {"url": URL, "collection": "site", "timeout": 60.0, "limit": 5},
            {"url": URL, "timeout": 60.0, "limit": 5, "collection": "site"},
        ),
    ],
)
def test_a_crawl_is_stored_with_an_hour_and_a_collection(given, stored):
    """Unless the arguments say otherwise."""
    assert crawl.check(given) == stored


@pytest.mark.parametrize(
    ("given", "error", "why"),
    [
        ({}, InvalidQuery, "a crawl needs a url"),
        ({"url": URL, "limt": 3}, UnknownName, "there is no option 'limt'; did you mean 'limit'?"),
        ({"url": URL, "collecton": "x"}, UnknownName, "there is no option 'collecton'; did you mean 'collection'?"),
        ({"url": URL, "select_paths": ["("]}, InvalidQuery, "select_paths holds '('"),
    ],
)  # fmt: skip
def test_a_crawl_that_cannot_work_is_refused(given, error, why):
    """Before anything is stored."""
    with pytest.raises(error) as refused:
        crawl.check(given)

    assert str(refused.value).startswith(why)


@pytest.mark.parametrize(
    ("sources", "stored"),
    [
        ([f"{URL}sitemap.xml"], [f"{URL}sitemap.xml"]),
        (["http://a.example/s.xml"] * 1_000, ["http://a.example/s.xml"] * 1_000),
        (("/data/a.jsonl", "s3://bucket/b"), ["/data/a.jsonl", "s3://bucket/b"]),
    ],
)
def test_sources_are_stored_as_a_list(sources, stored):
    """Of paths that do not depend on where the next process is started."""
    checked = bulk.check({"sources": sources}, operator=True)

    assert checked == {"sources": stored, "collection": "default"}


def test_a_relative_path_becomes_an_absolute_one(tmp_path, monkeypatch):
    """`~` is the home of who submits the job."""
    monkeypatch.chdir(tmp_path)

    checked = bulk.check({"sources": ["a.jsonl", "~/b.jsonl"], "collection": "c"}, operator=True)

    assert checked == {
        "sources": [str(tmp_path / "a.jsonl"), str(tmp_path / "b.jsonl")],
        "collection": "c",
    }


LIST = "sources must be a list of paths and URLs, at least one"
NETWORK = "only sitemaps can be indexed over the network"


@pytest.mark.parametrize(
    ("given", "operator", "why"),
    [
        ({}, True, LIST),
        ({"sources": []}, True, LIST),
        ({"sources": "a.jsonl"}, True, LIST),
        ({"sources": 5}, True, LIST),
        ({"sources": [URL] * 1_001}, True, "there are 1,001 sources; at most 1,000 are taken"),
        ({"sources": ["/data/a.jsonl"]}, False, NETWORK),
        ({"sources": [URL, "s3://bucket/b"]}, False, NETWORK),
        ({"sources": ["ftp://a.example/"]}, True, "'ftp' is not a kind of source"),
        ({"sources": [URL], "source": 1}, True, "there is no option 'source'"),
        ({"sources": [URL], "collection": "../x"}, True, ""),
    ],
)
def test_sources_that_cannot_be_read_are_refused(given, operator, why):
    """Files are for who operates the machine."""
    with pytest.raises((InvalidQuery, UnknownName)) as refused:
        bulk.check(given, operator=operator)

    assert str(refused.value).startswith(why)
