"""Keys, context, comparisons, providers and usage by the page's API: what a handler returns."""

from __future__ import annotations

from typing import Any

import pytest

from kensaku.database.keys import list_keys
from kensaku.errors import InvalidQuery, UnknownName
from kensaku.models import Hit
from kensaku.server.api import compare, context, keys, providers, usage

HITS = [Hit("https://a.example/", "A", "otters swim in rivers. " * 20)]


async def test_the_first_key_is_an_admins_and_signs_its_browser_in(make_call, state):
    """It would be locked out; those after it are what they are asked to be."""
    bounds = {"tenant": "t1", "rate": "10/s", "searches_per_day": "5", "money_per_month": "2.5"}
    asked = [{"name": " ann "}] + [
        {"name": "ben", "admin": admin, **bounds}
        for admin in (True, "1", "on", False, "", "off", None)
    ]
    made = [await keys.create(make_call(fields)) for fields in asked]

    stored = await list_keys(state.database)
    by_id = {key.id: key.to_dict() for key in stored}
    assert [{n: v for n, v in m.items() if n != "key"} for m in made] == [
        by_id[m["id"]] for m in made
    ]
    assert [m["admin"] for m in made] == [True, True, True, True, False, False, False, False]
    assert (made[0]["name"], made[0]["tenant"], made[0]["rate"]) == ("ann", "", None)
    assert {n: made[1][n] for n in bounds} == {
        "tenant": "t1", "rate": "10/s", "searches_per_day": 5, "money_per_month": 2.5,
    }  # fmt: skip
    assert await state.keys.required()
    assert len((await keys.listed(make_call()))["keys"]) == 8
    gone = await keys.revoke(make_call(id=made[1]["id"]))
    assert (gone["id"], gone["revoked"] is not None) == (made[1]["id"], True)


async def test_only_the_first_key_signs_a_browser_in(make_call, monkeypatch):
    """The others are for programs, or for other people."""
    signed: list[Any] = []

    async def sign_in_as(state: Any, viewer: Any, secret: str) -> None:
        signed.append((viewer.session, secret))

    monkeypatch.setattr(keys, "sign_in_as", sign_in_as)
    first = await keys.create(make_call({"name": "ann"}))
    await keys.create(make_call({"name": "ben"}))

    assert signed == [("session", first["key"])]


@pytest.mark.parametrize("name", ["", "x" * 201, None])
async def test_a_key_has_a_name(make_call, name):
    """Of 200 characters at most."""
    with pytest.raises(InvalidQuery, match="name must be a text of 1 to 200 characters"):
        await keys.create(make_call({"name": name}))


@pytest.mark.parametrize(
    ("tokens", "taken"),
    [(1, True), (100_000, True), (0, False), (100_001, False), ("5", False), (None, False)],
)
async def test_context_has_a_number_of_tokens(make_call, upstream, tokens, taken):
    """From 1 to 100,000."""
    upstream.answers("tavily", HITS)
    call = make_call({"q": "otters", "max_tokens": tokens})
    if taken:
        made = await context.make(call)
        assert made["said"] == f"{made['tokens']:,} tokens"
        assert made["tokens"] <= tokens
    else:
        with pytest.raises(InvalidQuery, match="max_tokens must be a number from 1 to 100,000"):
            await context.make(call)


async def test_context_takes_what_the_form_says(make_call):
    """Twenty results, two thousand tokens, the route and the mode."""
    asked: list[Any] = []

    class Packing:
        async def context(self, query: Any, **given: Any) -> Any:
            asked.append((query.text, query.max_results, given))

            class Made:
                tokens = 1_234

                def to_dict(self) -> dict[str, Any]:
                    return {"text": "otters"}

            return Made()

    for route in ("all", "brave"):
        call = make_call({"q": "otters", "route": route})
        call.session.client = Packing()  # type: ignore[assignment]
        assert await context.make(call) == {"text": "otters", "said": "1,234 tokens"}

    assert asked == [
        ("otters", 20, {"max_tokens": 2_000, "route": None, "mode": "all"}),
        ("otters", 20, {"max_tokens": 2_000, "route": "brave", "mode": None}),
    ]


@pytest.mark.parametrize("routes", [None, "tavily", ["tavily", 5], {"tavily": 1}])
async def test_a_comparison_needs_a_list_of_routes(make_call, routes):
    """One text is none."""
    with pytest.raises(InvalidQuery, match="routes must be a list of texts"):
        await compare.made(make_call({"q": "otters", "routes": routes}))


async def test_a_comparison_is_that_of_the_view(make_call, monkeypatch):
    """With the session, whose limits count."""
    asked: list[Any] = []

    class Done:
        def to_dict(self) -> dict[str, Any]:
            return {"compared": 1}

    async def run(page: Any, session: Any, q: str, routes: list[str]) -> Done:
        asked.append((page, session, q, routes))
        return Done()

    monkeypatch.setattr(compare, "run", run)
    call = make_call({"q": "otters", "routes": ["tavily", "brave"]})

    assert await compare.made(call) == {"compared": 1}
    assert asked == [(call.page, call.session, "otters", ["tavily", "brave"])]


async def test_a_provider_is_given_another_chance(make_call, state):
    """Its cooldowns end; a name that is not known is refused."""
    limiter = state.client._resources.limiter("tavily")

    told = await providers.reset(make_call(name="tavily"))

    assert told == {"name": "tavily", "state": limiter.state()}
    with pytest.raises(UnknownName):
        await providers.reset(make_call(name="nobody"))
    listed = (await providers.listed(make_call()))["providers"]
    assert "tavily" in str(listed)


async def test_usage_is_told_by_what_it_is_asked_for(make_call, state):
    """By provider and of the days of the view, unless others are named."""
    assert await usage.listed(make_call(query="by=day&days=7")) == {
        "by": "day", "days": 7, "usage": [],
    }  # fmt: skip
    usual = await usage.listed(make_call())
    assert (usual["by"], usual["days"], usual["usage"]) == ("provider", 30, [])
