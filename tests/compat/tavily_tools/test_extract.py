"""`tavily_extract`: pages, and addresses that failed."""

from __future__ import annotations

import re

import pytest

pytest.importorskip("pydantic_ai")

from kensaku.compat.tavily_tools.pydantic_ai import (
    TavilyAPIError,
    TavilyErrorType,
    tavily_extract,
)
from kensaku.compat.tavily_tools.tools import check_urls

from .doubles import error


async def test_no_url_is_a_validation_error_at_once(ctx, tavily):
    """(S1-15, S1-30)"""
    with pytest.raises(TavilyAPIError) as raised:
        check_urls([])

    assert raised.value.error_type is TavilyErrorType.VALIDATION_ERROR
    assert error(await tavily_extract(ctx, [])) == "VALIDATION_ERROR"
    assert not tavily.requests


@pytest.mark.parametrize(
    ("url", "good"),
    [
        ("https://example.com", True),
        ("https://example.com/path?q=1", True),
        ("http://example.com", True),
        ("example.com", False),
        ("ftp://example.com/", False),
        ("https:///path", False),
        ("https://[bad", False),
        ("", False),
    ],
)
def test_a_url_has_a_scheme_and_a_host(url, good):
    """(S1-16, S1-18)"""
    valid, failed = check_urls([url])

    assert valid == ([url] if good else [])
    assert [u for u, why in failed if why] == ([] if good else [url])


def test_plain_http_is_only_warned_of(caplog):
    """(S1-17)"""
    assert check_urls(["https://a.example/"]) == (["https://a.example/"], [])
    assert not caplog.records

    assert check_urls(["http://a.example/"]) == (["http://a.example/"], [])
    assert [r.levelname for r in caplog.records] == ["WARNING"]


async def test_there_are_at_most_20_urls_after_merging(ctx):
    """(S1-19, S1-20, S1-30)"""
    urls = [f"https://a.example/{n}" for n in range(21)]

    assert len(check_urls([*urls[:20], *urls[:20]])[0]) == 20
    with pytest.raises(TavilyAPIError):
        check_urls(urls)
    assert error(await tavily_extract(ctx, urls)) == "VALIDATION_ERROR"


async def test_with_no_valid_url_all_of_them_are_listed(ctx):
    """(S1-22, S1-25, S1-27)"""
    said = await tavily_extract(ctx, ["example.com", "https:///path"])

    assert said == (
        "## コンテンツ抽出結果\n\nすべてのURLからコンテンツを抽出できませんでした。\n\n"
        "## 失敗したURL\n"
        "- example.com: http:// または https:// で始まるURLを指定してください\n"
        "- https:///path: ホスト名がありません"
    )


@pytest.fixture
def pages(tavily, monkeypatch):
    """Two pages on loopback, which the operator allows to be read."""
    monkeypatch.setenv("KENSAKU_FETCH_ALLOW", "127.0.0.0/8")
    monkeypatch.setenv("KENSAKU_FETCH_PORTS", tavily.url.rpartition(":")[2])
    first = "<html><title>One</title><body><article><p>{}</p></article></body></html>"
    one = tavily.serves("/one", first.format("The first page tells of otters. " * 5))
    two = tavily.serves("/two", first.format("The second page tells of beavers. " * 5))
    return one, two


async def test_pages_are_written_one_below_the_other(ctx, pages):
    """(S1-14, S1-23, S1-24, S1-26)"""
    one, two = pages

    said = await tavily_extract(ctx, [one, two])

    head, first, second = re.fullmatch(
        r"(## コンテンツ抽出結果\n\n)(.+)\n\n---\n\n(.+)", said, re.DOTALL
    ).groups()
    assert head
    assert first.startswith(f"### URL: {one}\nThe first page tells of otters.")
    assert second.startswith(f"### URL: {two}\nThe second page tells of beavers.")
    assert "失敗" not in said


async def test_the_same_url_twice_is_read_once(ctx, pages, tavily):
    """(S1-20)"""
    said = await tavily_extract(ctx, [pages[0], pages[0]])

    assert said.count("### URL:") == 1
    assert len([s for s in tavily.requests if s.path == "/one"]) == 1


async def test_one_failure_does_not_stop_the_others(ctx, pages, tavily):
    """(S1-21, S1-25, S1-28)"""
    gone = tavily.serves("/gone", "no", status=404)

    said = await tavily_extract(ctx, [pages[0], gone, "example.com"])

    assert f"### URL: {pages[0]}\nThe first page" in said
    found, _, lost = said.partition("\n\n---\n\n## 失敗したURL\n")
    assert "example.com" not in found
    assert sorted(line.split(": ")[0] for line in lost.splitlines()) == sorted(
        [f"- {gone}", "- example.com"]
    )


async def test_a_page_that_may_not_be_read_is_a_failure(ctx, tavily):
    """Private addresses need the operator's leave (S1-27, S1-28)."""
    url = tavily.serves("/private", "<p>secret</p>")

    said = await tavily_extract(ctx, [url])

    assert "すべてのURLからコンテンツを抽出できませんでした。" in said
    assert f"- {url}: " in said
