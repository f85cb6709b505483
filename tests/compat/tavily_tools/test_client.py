"""One client for each key and its settings, at most 64 of them."""

from __future__ import annotations

import pytest

from kensaku import Settings
from kensaku.compat.tavily_tools import client as clients
from kensaku.compat.tavily_tools.client import close_clients, keys_in, tavily_client
from kensaku.compat.tavily_tools.urls import check_urls


@pytest.fixture
def settings(machine):
    return Settings.load(environ={"KENSAKU_HOME": str(machine)}, route="brave", mode="all")


async def test_the_same_key_has_the_same_client(settings):
    """Another key, or whether it retries, makes another."""
    one = await tavily_client("a, b ,", settings)

    assert await tavily_client("a,b", settings) is one
    assert await tavily_client("a", settings) is not one
    once = await tavily_client("a,b", settings, retries=False)
    assert once is not one
    assert one._resources.retries.left()
    assert not once._resources.retries.left()
    once._resources.retries.earn()
    assert not once._resources.retries.left()


async def test_the_client_asks_tavily_alone(settings):
    """With this key, whatever the settings say of it."""
    found = (await tavily_client("a,b", settings)).settings

    assert (found.route, found.mode) == (("tavily",), "first")
    assert keys_in(found) == "a,b"
    assert found.provider("tavily").enabled
    assert keys_in(settings) == ""


async def test_the_client_that_was_used_longest_ago_is_closed(settings):
    """A service with many tenants has many keys."""
    closed = []
    first, second = [await tavily_client(key, settings) for key in ("first", "second")]

    async def close():
        closed.append("second")

    second.close = close
    for n in range(62):
        await tavily_client(f"k{n}", settings)
    assert await tavily_client("first", settings) is first
    assert closed == []
    await tavily_client("one more", settings)

    assert closed == ["second"]
    assert len(clients._cached) == 64
    await close_clients()
    assert clients._cached == []


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("https://[bad", "URLの形式が正しくありません"),
        ("ftp://a.example/", "http:// または https:// で始まるURLを指定してください"),
        ("https:///path", "ホスト名がありません"),
    ],
)
def test_why_a_url_is_not_taken(url, why):
    """(S1-18)"""
    assert check_urls([f" {url} ", "https://a.example/"]) == (["https://a.example/"], [(url, why)])


def test_too_many_urls_and_none_are_said(caplog):
    """How many there are, and how many of them are without TLS (S1-15, S1-17, S1-19)."""
    with pytest.raises(Exception, match="URLは最大20件です（21件が指定されました）"):
        check_urls([f"https://a.example/{n}" for n in range(21)])
    with pytest.raises(Exception, match="URLを1つ以上指定してください"):
        check_urls([])
    check_urls(["http://a.example/", "HTTP://b.example/", "https://c.example/"])
    assert [r.getMessage() for r in caplog.records] == [
        "tavily_extract: 2 URL(s) without TLS; https:// is recommended"
    ]
