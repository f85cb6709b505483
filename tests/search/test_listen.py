"""A listener hears of a search while it is under way."""

from __future__ import annotations

from kensaku.models import Hit
from kensaku.search.listen import Asked, PartialHits, Said, listening
from kensaku.testing import faults


async def test_a_listener_hears_who_is_asked_what_each_said_and_hits_before_they_are_ranked(
    make_client, upstream
):
    """A page shows results as providers answer."""
    upstream.fails("tavily", faults.status(401))
    upstream.answers("brave", [Hit("https://a.example/", "<b>Otters</b>", "otters swim")])
    k, heard = make_client("tavily", "brave"), []

    with listening(heard.append):
        response = await k.search("otters")

    asked = [e.provider for e in heard if isinstance(e, Asked)]
    assert asked == ["tavily", "brave"]
    assert [e.attempt for e in heard if isinstance(e, Said)] == list(response.attempts)
    (partial,) = [e for e in heard if isinstance(e, PartialHits)]
    assert (partial.provider, [h.title for h in partial.hits]) == ("brave", ["Otters"])
    assert all(e.at_ms >= 0 for e in heard if not isinstance(e, PartialHits))


async def test_a_provider_that_is_not_asked_is_heard_of(make_client):
    """Who waits for nobody must not look as if it were still under way."""
    k, heard = make_client("brave", env={"BRAVE_API_KEY": ""}), []

    with listening(heard.append):
        await k.search("otters")

    assert [(type(e), e.attempt.sent) for e in heard] == [(Said, False)]


async def test_nobody_hears_of_the_searches_of_others(make_client):
    """Two people search at the same time with one client."""
    k, heard = make_client("tavily"), []

    with listening(heard.append):
        pass
    await k.search("otters")

    assert heard == []
