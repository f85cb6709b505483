"""Where connections may go: for providers and for pages."""

from __future__ import annotations

from typing import Any

import pytest

from kensaku import Hit, Outcome
from kensaku.errors import ConfigError, NotAsked
from kensaku.testing import FakeUpstream
from kensaku.transport.egress import Egress


@pytest.mark.parametrize(
    ("words", "host", "allowed"),
    [
        ("public,private", "anything.example", True),
        ("none", "anything.example", False),
        ("none", "127.0.0.1", False),
        ("public", "8.8.8.8", True),
        ("public", "192.168.1.1", False),
        ("public", "name.example", None),
        ("private", "192.168.1.1", True),
        ("private", "[::1]", True),
        ("private", "8.8.8.8", False),
        ("api.tavily.com", "api.tavily.com", True),
        ("api.tavily.com", "API.TAVILY.COM.", True),
        ("api.tavily.com", "api.tavily.com.evil.example", False),
        (".example.org", "a.b.example.org", True),
        ("*.example.org", "a.example.org", True),
        (".example.org", "example.org", False),
        (".example.org", "badexample.org", False),
        ("10.1.0.0/16", "10.1.2.3", True),
        ("10.1.0.0/16", "10.2.2.3", False),
        ("10.1.0.0/16", "name.example", None),
        ("private,api.tavily.com", "api.tavily.com", True),
    ],
)
def test_a_name_is_allowed_refused_or_left_to_its_address(
    words: str, host: str, allowed: bool | None
) -> None:
    """The words are one's own, and cannot be outsmarted by a longer name."""
    assert Egress.from_words(words.split(",")).allows_name(host) is allowed


@pytest.mark.parametrize("words", ["none,public", "http://a.example/", "a b", "."])
def test_wrong_words_are_refused(words: str) -> None:
    """When the settings are used."""
    with pytest.raises(ConfigError, match="egress"):
        Egress.from_words(words.split(","))


async def test_no_query_leaves_with_none(make_client: Any, upstream: FakeUpstream) -> None:
    """Unavailable, and why."""
    upstream.answers("tavily", [Hit("https://a.example/", "A", "x")])
    response = await make_client("tavily", egress="none").search("otters")

    (attempt,) = response.attempts
    assert response.outcome is Outcome.UNAVAILABLE
    assert isinstance(attempt.error, NotAsked)
    assert "egress does not allow" in str(attempt.error)
    assert not attempt.sent
    assert upstream.requests == []


async def test_private_leaves_own_services_and_refuses_vendors(
    make_client: Any, upstream: FakeUpstream
) -> None:
    """The fake upstream stands for a service of one's own network."""
    upstream.answers("tavily", [Hit("https://a.example/", "A", "x")])
    assert (await make_client("tavily", egress="private").search("otters")).hits

    sent = len(upstream.requests)
    response = await make_client("tavily", egress="public").search("otters", cache=False)
    assert response.outcome is Outcome.UNAVAILABLE
    assert len(upstream.requests) == sent


async def test_a_name_counts_by_what_it_resolves_to(
    make_client: Any, upstream: FakeUpstream
) -> None:
    """`localhost` is a name; its address is not public."""
    upstream.answers("tavily", [])
    there = upstream.environment("tavily")["TAVILY_BASE_URL"].replace("127.0.0.1", "localhost")
    k = make_client("tavily", env={"TAVILY_BASE_URL": there}, egress="public")
    response = await k.search("otters")

    assert response.outcome is Outcome.UNAVAILABLE
    assert "egress" in str(response.attempts[0].error)
    assert upstream.requests == []


async def test_a_vendor_is_not_even_looked_up_with_private(make_client: Any) -> None:
    """Its own address is a public one."""
    k = make_client("wikipedia", env={"WIKIPEDIA_BASE_URL": ""}, egress="private")
    response = await k.search("otters")
    assert "egress does not allow" in str(response.attempts[0].error)


async def test_pages_obey_it_too(make_client: Any, upstream: FakeUpstream) -> None:
    """Also where fetch.allow would admit them."""
    url = upstream.serves(
        "/p", "<html><body><p>Otters sleep in the sea all night.</p></body></html>"
    )
    reach = {"fetch_allow": ("127.0.0.1",), "fetch_ports": ("any",), "fetch_robots": "never"}

    assert (await make_client("tavily", **reach).extract(url)).results
    for words in ("public", "none", "example.org"):
        done = await make_client("tavily", **reach, egress=words).extract(url)
        assert done.failed
    done = await make_client("tavily", **reach, egress="none").extract("https://name.example/")
    assert "egress does not allow" in str(done.failed[0].error)
