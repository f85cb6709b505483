"""Opt-outs in headers, meta tags and robots.txt: noted, refused or ignored."""

from __future__ import annotations

import pytest

from kensaku.errors import NotAllowed
from kensaku.fetch.optouts import NO_INPUT, RESERVED, optouts
from kensaku.store import MemoryStore


@pytest.mark.parametrize(
    ("headers", "body", "word"),
    [
        ({"x-robots-tag": "noai"}, b"", "noai"),
        ({"x-robots-tag": "noindex, NOAI"}, b"", "noai"),
        ({"x-robots-tag": "kensaku: noai"}, b"", "noai"),
        ({"x-robots-tag": "none"}, b"", "none"),
        ({}, b'<meta name="robots" content="index, noai, noimageai">', "noai"),
        ({}, b"<META CONTENT='noai' NAME=robots>", "noai"),
        ({}, b'<meta name="kensaku" content="noai">', "noai"),
        ({"tdm-reservation": "1"}, b"", "TDMRep"),
        ({}, b'<meta name="tdm-reservation" content="1">', "TDMRep"),
        ({"content-signal": "search=yes, ai-input=no"}, b"", "ai-input=no"),
    ],
)
def test_what_a_page_asks_of_machines_is_understood(headers, body, word):
    """Headers and meta tags, in all their spellings."""
    assert any(word in sentence for sentence in optouts(headers, body, robot="kensaku"))


@pytest.mark.parametrize(
    ("headers", "body"),
    [
        ({}, b""),
        ({"x-robots-tag": "all, max-snippet: 20, unavailable_after: 1 Jan"}, b""),
        ({"x-robots-tag": "otherbot: noai, noindex"}, b""),
        ({"tdm-reservation": "0"}, b'<meta name="description" content="noai">'),
        ({}, b"x" * 70_000 + b'<meta name="robots" content="noai">'),
    ],
)
def test_what_is_meant_for_others_is_not(headers, body):
    """Other robots' names, other tags, and text that only talks about it."""
    assert optouts(headers, body, robot="kensaku") == ()


async def test_an_optout_is_noted_refused_or_ignored(web, fetcher):
    """It is a policy, and the default is to say it."""
    web.pages["/"] = (200, {"X-Robots-Tag": "noai", "TDM-Reservation": "1"}, b"hello")
    web.pages["/robots.txt"] = "User-agent: *\nContent-Signal: ai-input=no"
    noted = await fetcher().fetch("http://public.test/")
    assert RESERVED in noted.notes
    assert NO_INPUT in noted.notes
    assert (await fetcher(optouts="ignore").fetch("http://public.test/")).notes == ()
    with pytest.raises(NotAllowed):
        await fetcher(optouts="refuse").fetch("http://public.test/")


async def test_a_page_that_was_kept_is_still_refused(web, fetcher):
    """The policy of today holds for the pages of yesterday."""
    web.pages["/"] = (200, {"X-Robots-Tag": "noai"}, b"hello")
    store = MemoryStore()
    await fetcher(store=store, optouts="ignore").fetch("http://public.test/")
    with pytest.raises(NotAllowed):
        await fetcher(store=store, optouts="refuse").fetch("http://public.test/")


NOAI = "the page asks not to be used for AI (noai)"
NOINDEX = "the page asks not to be indexed (noindex)"
NOFOLLOW = "the page asks that its links are not followed (nofollow)"


@pytest.mark.parametrize(
    ("headers", "body", "signals", "said"),
    [
        ({"x-robots-tag": "nofollow, noindex"}, b"", (), (NOINDEX, NOFOLLOW)),
        ({"x-robots-tag": "noai, otherbot: noindex, Kensaku: nofollow"}, b"", (), (NOAI, NOFOLLOW)),
        ({"x-robots-tag": "unavailable_after: 1 Jan, noai"}, b"", (), (NOAI,)),
        ({"x-robots-tag": "otherbot: noai, max-snippet: 20, noindex"}, b"", (), ()),
        ({"x-robots-tag": "noai, max-snippet: 20, noindex"}, b"", (), (NOAI, NOINDEX)),
        ({"x-robots-tag": "noai"}, b'<meta name="robots" content="NoIndex">', (), (NOAI, NOINDEX)),
        ({}, b'<meta http-equiv="robots" content=noai>', (), (NOAI,)),
        ({}, b'<meta name="robots"><meta content="noai">', (), ()),
        ({"tdm-reservation": " 1 "}, b"", (), (RESERVED,)),
        ({"tdm-reservation": "1"}, b'<meta name="tdm-reservation" content="0">', (), (RESERVED,)),
        ({"tdm-reservation": "0"}, b'<meta name="tdm-reservation" content=" 1 ">', (), (RESERVED,)),
        ({"x-robots-tag": "noai", "tdm-reservation": "1", "content-signal": "AI-input = No"}, b"",
         (), (NOAI, RESERVED, NO_INPUT)),
        ({}, b"", (("ai-input", False),), (NO_INPUT,)),
        ({}, b"", (("ai-input", True), ("search", False)), ()),
        ({"content-signal": "search=no"}, b"", (), ()),
        ({}, b'<meta name="robots" content="noai">'.rjust(64 * 1024), (), (NOAI,)),
        ({}, b'<meta name="robots" content="noai">'.rjust(64 * 1024 + 1), (), ()),
    ],
)  # fmt: skip
def test_all_that_a_page_asks_for_is_said_once(headers, body, signals, said):
    """One sentence each, and none that it did not ask for."""
    assert optouts(headers, body, signals, "kensaku") == said
