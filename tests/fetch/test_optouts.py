"""Opt-outs in headers, meta tags and robots.txt: noted, refused or ignored."""

from __future__ import annotations

import pytest

from kensaku.errors import NotAllowed
from kensaku.fetch.optouts import NO_INPUT, RESERVED, optouts
from kensaku.store import MemoryStore


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
        ({}, b"", (), ()),
        ({"x-robots-tag": "nofollow, noindex"}, b"", (), (NOINDEX, NOFOLLOW)),
        ({"x-robots-tag": "none"}, b"", (), ("the page asks not to be indexed, nor its links followed (none)",)),
        ({}, b"<META CONTENT='noai' NAME=robots>", (), (NOAI,)),
        ({}, b'<meta name="kensaku" content="noai">', (), (NOAI,)),
        ({"tdm-reservation": "0"}, b'<meta name="description" content="noai">', (), ()),
        ({"x-robots-tag": "noai, otherbot: noindex, Kensaku: nofollow"}, b"", (), (NOAI, NOFOLLOW)),
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
        ({}, b'<meta name="robots" content="noai">'.rjust(64 * 1024), (), (NOAI,)),
        ({}, b'<meta name="robots" content="noai">'.rjust(64 * 1024 + 1), (), ()),
    ],
)  # fmt: skip
def test_all_that_a_page_asks_for_is_said_once(headers, body, signals, said):
    """One sentence each, and none that it did not ask for."""
    assert optouts(headers, body, signals, "kensaku") == said
