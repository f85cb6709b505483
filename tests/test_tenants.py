"""Tenants share connections, limits and workers. Nothing that one of them reads reaches another."""

from __future__ import annotations

import pytest

from kensaku import Document
from kensaku.errors import InvalidQuery, KensakuError, UnknownName
from kensaku.index.namespace import prefix_of


async def test_a_cached_response_is_read_by_its_tenant_alone(make_client, upstream):
    """The same words, three tenants: three requests, and none on the second round."""
    base = make_client("tavily")
    clients = [base, base.for_tenant("acme"), base.for_tenant("umbrella")]

    first = [await c.search("otters") for c in clients]
    again = [await c.search("otters") for c in clients]

    assert [r.cached for r in first] == [False] * 3
    assert [r.cached for r in again] == [True] * 3
    assert len(upstream.requests) == 3


async def test_a_collection_belongs_to_its_tenant(make_client):
    """The same name in three namespaces; each finds its own document, and lists its own name."""
    base = make_client("local")
    tenants = {"": base, "acme": base.for_tenant("acme"), "umbrella": base.for_tenant("umbrella")}
    for name, client in tenants.items():
        text = f"The secret word of {name or 'nobody'} is otter."
        await client.index.add([Document(url=f"https://{name or 'x'}.example", text=text)], "docs")

    for name, client in tenants.items():
        for collection in (None, "docs"):
            found = await client.search("secret word otter", collection=collection)
            assert [h.url for h in found.hits] == [f"https://{name or 'x'}.example"]
            assert found.hits[0].explain.local.collection == "docs"
        assert await client.index.collections() == ["docs"]
        assert list(await client.index.stats()) == ["docs"]
        assert list(await client.index.check()) == ["docs"]


async def test_another_tenants_collection_cannot_be_named(make_client):
    """Neither by its stored name nor by a guess; the error shows no stored name."""
    base = make_client("local")
    acme = base.for_tenant("acme")
    await acme.index.add([Document(url="https://a.example", text="otters swim")], "docs")
    stored = prefix_of("acme") + "docs"

    for client in (base, acme, base.for_tenant("umbrella")):
        with pytest.raises(InvalidQuery, match="cannot be called"):
            await client.index.search("otters", collections=stored)
        with pytest.raises(InvalidQuery, match="cannot be called"):
            await client.index.drop(stored)
    with pytest.raises(KensakuError) as failed:
        await base.for_tenant("umbrella").index.search("otters", collections="docs")
    assert "tenant." not in str(failed.value)
    with pytest.raises(UnknownName, match="no collection 'docs'"):
        await base.index.delete("https://a.example", "docs")


async def test_the_starter_collection_is_everybodys_to_read_and_nobodys_to_change(make_client):
    """One copy serves all tenants; a tenant cannot drop it, nor write into it."""
    base = make_client("local")
    await base.index.add(
        [Document(url="https://p.example", text="asyncio cancels tasks")], "pydocs"
    )
    acme = base.for_tenant("acme")

    found = await acme.search("asyncio cancels tasks")

    assert [h.url for h in found.hits] == ["https://p.example"]
    for change in (acme.index.drop("pydocs"), acme.index.delete("https://p.example", "pydocs")):
        with pytest.raises(InvalidQuery, match="everybody's"):
            await change
    with pytest.raises(InvalidQuery, match="the operator"):
        await acme.index.snapshot("anywhere")
    assert await acme.index.optimize() is None


async def test_a_budget_is_the_tenants_own(make_client):
    """What one has spent is not missing in another's purse."""
    base = make_client("tavily", budget_searches=1, cache_enabled=False)
    acme, umbrella = base.for_tenant("acme"), base.for_tenant("umbrella")

    outcomes = [str((await c.search("otters")).outcome) for c in (acme, acme, umbrella)]

    assert outcomes == ["found", "unavailable", "found"]


async def test_a_read_page_is_kept_for_its_tenant(make_client):
    """The cache of pages and the state of crawls have the tenant in their keys."""
    base = make_client("local")
    readers = [c.resources.reader() for c in (base, base.for_tenant("acme"))]

    keys = {r.fetcher.cache.key("https://a.example") for r in readers}

    assert len(keys) == 2
    assert readers[0].parser is readers[1].parser


async def test_a_tenant_with_documents_waits_for_no_starter_collection(make_client):
    """Filling it takes seconds; whoever has something to search in does not need it."""
    base = make_client("local")
    acme = base.for_tenant("acme")
    await acme.index.add([Document(url="https://a.example", text="otters swim")], "docs")

    found = await acme.search("otters swim")

    assert [h.url for h in found.hits] == ["https://a.example"]
    assert await base.index.collections() == []
