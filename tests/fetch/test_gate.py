"""Only addresses that a result or a person named are read."""

from __future__ import annotations

from typing import Any

import pytest

from kensaku import Hit
from kensaku.fetch.gate import NotNamed, UrlGate
from kensaku.testing import FakeUpstream

REACH = {"fetch_allow": ("127.0.0.1",), "fetch_ports": ("any",), "fetch_robots": "never"}
HTML = "<html><body><article><p>Sea otters sleep in the kelp all night.</p></article></body></html>"


async def test_a_page_is_read_after_a_result_named_it(
    make_client: Any, upstream: FakeUpstream
) -> None:
    """And nothing else is, with an error of its own."""
    url = upstream.serves("/p", HTML)
    upstream.answers("tavily", [Hit(url, "Otters", "sleep")])
    k = make_client("tavily", fetch_gate=True, **REACH)

    (failure,) = (await k.extract(url)).failed
    assert isinstance(failure.error, NotNamed)

    await k.search("otters")
    assert (await k.extract(url)).results
    (failure,) = (await k.extract(f"{url}?stolen=data")).failed
    assert isinstance(failure.error, NotNamed)


async def test_a_person_names_pages(make_client: Any, upstream: FakeUpstream) -> None:
    """By the program that speaks for the person."""
    url = upstream.serves("/p", HTML)
    k = make_client("tavily", fetch_gate=True, **REACH)
    with pytest.raises(NotNamed):
        k.crawl(url)
    k.allow_urls(url)
    assert (await k.extract(f"{url}#part")).results


def test_the_root_of_a_host_may_have_a_slash() -> None:
    """People leave it out."""
    gate = UrlGate()
    gate.admit(["https://a.example"])
    gate.check("https://a.example/")
    with pytest.raises(NotNamed):
        gate.check("https://a.example/x/")


def test_what_is_named_again_is_new_again() -> None:
    """It is forgotten after those that were named once: the bound is on memory."""
    gate = UrlGate()
    gate.admit(["https://a.example/x", "https://a.example/y"])
    gate.admit([" https://a.example/x#part "])
    gate.admit(f"https://b.example/{n}" for n in range(19_999))
    gate.check("https://a.example/x")
    with pytest.raises(NotNamed):
        gate.check("https://a.example/y")
