"""Every setting reaches the part that it is about: one that is not passed on does nothing."""

from __future__ import annotations

import json

import pytest

from kensaku import Document, Outcome
from kensaku.errors import AddressRefused, BudgetExceeded, IndexFault, TooLarge
from kensaku.testing import Cassette, faults

REACH = {"fetch_allow": "127.0.0.1", "fetch_ports": "any"}
HTML = "<title>Otters</title><main><p>They hold hands while they sleep.</p></main>"


async def test_providers_and_sites_see_the_name_that_is_set(make_client, upstream):
    """A site that wants to know who reads it, or to stop it, goes by that name."""
    client = make_client("tavily", user_agent="Otter/1", **REACH)
    page = upstream.serves("/page", HTML)

    await client.search("otters")
    await client.extract(page)

    names = {seen.headers["user-agent"] for seen in upstream.requests}
    assert len(upstream.requests) > 1
    assert all("Otter/1" in name for name in names)


@pytest.mark.parametrize(
    ("settings", "error"),
    [
        ({}, None),
        ({"fetch_allow": ""}, AddressRefused),
        ({"fetch_ports": "80,443"}, AddressRefused),
        ({"fetch_max_bytes": 2_048}, TooLarge),
    ],
)
async def test_pages_are_read_within_the_bounds_that_are_set(
    settings, error, make_client, upstream
):
    """Own addresses and other ports only when they are listed."""
    page = upstream.serves("/page", HTML + "<!--" + "x" * 4_000 + "-->")

    done = await make_client(**{**REACH, **settings}).extract(page)

    assert [type(failure.error) for failure in done.failed] == ([error] if error else [])
    assert bool(done.results) is (error is None)


@pytest.mark.parametrize(("settings", "fetched"), [({}, 1), ({"cache_enabled": False}, 2)])
async def test_a_page_is_kept_unless_the_cache_is_off(settings, fetched, make_client, upstream):
    """Twice the same page is one request."""
    page = upstream.serves("/page", HTML)
    client = make_client(**REACH, **settings)

    for _ in range(2):
        assert (await client.extract(page)).results

    assert len([seen for seen in upstream.requests if seen.path == "/page"]) == fetched


@pytest.mark.parametrize("settings", [{"budget_searches": 2}, {"budget_money": 0.02}])
async def test_a_budget_that_is_set_is_shared_by_all_processes(settings, make_client, upstream):
    """It is counted in the store of home, and a tenant has its own."""
    state = {"state_url": "", "cache_enabled": False}
    first, second = (make_client("tavily", **state, **settings) for _ in range(2))
    outcomes = [(await k.search("otters")).outcome for k in (first, second, first, second)]
    refused = await first.search("otters")

    assert outcomes[0] is Outcome.FOUND
    assert refused.outcome is Outcome.UNAVAILABLE
    assert isinstance(refused.attempts[0].error, BudgetExceeded)
    assert len(upstream.requests) < 5
    assert (await first.for_tenant("t1").search("otters")).outcome is Outcome.FOUND


@pytest.mark.parametrize("keep", [True, False])
async def test_pages_are_kept_in_the_index_when_the_settings_say_so(keep, make_client, upstream):
    """Those that were read, and those of a crawl, in a collection of their own."""
    page, site = (
        upstream.serves("/otter", HTML),
        upstream.serves("/beaver", "<p>Beavers build.</p>"),
    )
    client = make_client(index_keep_fetched=keep, **REACH)

    await client.extract(page)
    assert [found.url async for found in client.crawl(site, max_depth=1, limit=1)] == [site]

    assert ("fetched" in await client.index.collections()) is keep
    if keep:
        hits = await client.index.search("otters sleep, beavers build", collections="fetched")
        assert {hit.url for hit in hits} == {page, site}


def embeds(upstream) -> dict[str, str]:
    """The setting of a model for which all texts are alike."""
    reply = {"data": [{"index": 0, "embedding": [1.0, 0.0]}]}
    upstream.serves("/embed/embeddings", json.dumps(reply), "application/json")
    return {"index_model": f"openai:m@{upstream.url}/embed"}


async def test_the_index_asks_the_model_that_is_set_with_its_key(make_client, upstream):
    """One that refuses is an error of the index, and not an empty result."""
    client = make_client("local", index_model_api_key="mk-1234", **embeds(upstream))
    otters = Document("https://a.example/", "Otters", "They hold hands.")

    await client.index.add([otters])
    assert [hit.url for hit in await client.index.search("hands")] == [otters.url]
    assert {seen.headers["authorization"] for seen in upstream.requests} == {"Bearer mk-1234"}
    upstream.serves("/embed/embeddings", "{}", "application/json", 404)
    with pytest.raises(IndexFault, match="404"):
        await client.index.add([Document("https://b.example/", "Beavers", "They build.")])


@pytest.mark.filterwarnings("ignore:Api key is used with an insecure connection")
async def test_a_collection_of_another_application_is_read_by_the_fields_that_are_set(
    make_client, upstream
):
    """With the key of the server. What the fields are called is the other application's choice."""
    from qdrant_client import QdrantClient, models

    from tests.index.qdrant_http import QdrantServer

    payload = {"body": "They hold hands.", "head": "Otters", "link": "https://a.example/",
               "text": "wrong", "title": "wrong", "url": "https://wrong.example/"}  # fmt: skip
    with QdrantServer() as server:
        raw = QdrantClient(url=server.url, check_compatibility=False)
        params = models.VectorParams(size=2, distance=models.Distance.COSINE)
        raw.create_collection("theirs", vectors_config={"v1": params, "v2": params})
        vectors = {"v1": [1.0, 0.0], "v2": [0.0, 1.0]}
        raw.upsert("theirs", [models.PointStruct(id=1, vector=vectors, payload=payload)])
        raw.close()
        server.keys.clear()
        client = make_client(
            "local", index_url=server.url, index_api_key="qk-1234", index_text_field="body",
            index_title_field="head", index_url_field="link", index_vector="v1",
            **embeds(upstream),
        )  # fmt: skip

        (hit,) = await client.index.search("otters", collections="theirs")
        await client.close()

    assert (hit.url, hit.title) == ("https://a.example/", "Otters")
    assert hit.content == "They hold hands."
    assert hit.score == pytest.approx(1.0, abs=1e-3)
    assert set(server.keys) == {"qk-1234"}


async def test_the_models_that_a_person_fitted_weigh_a_search(make_client, machine):
    """They are read from home; without them those that come with Kensaku are used."""
    usual = (await make_client("tavily").search("otters")).confidence
    fitted = {"weights": {}, "intercept": 0.0, "fitted_on": "my own runs"}
    machine.mkdir(exist_ok=True)
    (machine / "confidence.json").write_text(json.dumps({"web": fitted, "local": fitted}))

    found = (await make_client("tavily").search("otters")).confidence

    assert (found.score, found.fitted_on) == (0.5, "my own runs")
    assert usual.fitted_on != found.fitted_on


async def test_a_replay_needs_no_key_and_cools_no_real_key_down(machine, tmp_path, upstream):
    """A refusal that is played back was somebody else's."""
    from kensaku import Kensaku, Settings

    tape, route = tmp_path / "c.json", {"route": "tavily", "cache_enabled": False}
    environ = {"KENSAKU_HOME": str(machine)}
    with_key = Settings.load(environ={**upstream.environment("tavily"), **environ}, **route)
    upstream.fails("tavily", faults.status(401), times=1)
    other = Settings.load(
        environ={**upstream.environment("tavily"), "KENSAKU_HOME": str(tmp_path / "other")}, **route
    )
    async with Kensaku(other, cassette=Cassette(tape, mode="record")) as recording:
        recorded = await recording.search("otters")

    async with Kensaku(Settings.load(environ=environ, **route), cassette=Cassette(tape)) as playing:
        played = await playing.search("otters")
    async with Kensaku(with_key) as real:
        found = await real.search("otters")

    assert recorded.outcome is played.outcome is Outcome.UNAVAILABLE
    assert type(played.attempts[0].error) is type(recorded.attempts[0].error)
    assert found.outcome is Outcome.FOUND
