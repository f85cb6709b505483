"""A tenant sees its own collections, under its own names, and no others."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator

import pytest

pytest.importorskip("qdrant_client")

from qdrant_client import QdrantClient

from kensaku.errors import IndexFault, InvalidQuery, UnknownName
from kensaku.index import AddResult, Index
from kensaku.models import Document
from tests.index.animals import HERONS, OTTERS, WINE, urls
from tests.index.qdrant_http import QdrantServer

STORED = "tenant.302657b33c4da281.docs"


@pytest.fixture
async def index() -> AsyncIterator[Index]:
    """An index in which nobody, two tenants and everybody have one document each."""
    async with Index(url=":memory:") as shared:
        await shared.add([OTTERS], "docs")
        await shared.for_tenant("acme").add([HERONS], "docs")
        await shared.for_tenant("umbrella").add([HERONS, WINE], "docs")
        await shared.add([Document("pydoc:len", "len", "Return how many fish.")], "pydocs")
        yield shared


async def test_every_call_is_about_the_collections_of_its_tenant(index, tmp_path):
    """What comes back has the names that the tenant gave."""
    acme = index.for_tenant("acme")

    assert sorted(await acme.collections()) == ["docs", "pydocs"]
    stats = await acme.stats()
    assert {n: s["documents"] for n, s in stats.items()} == {"docs": 1, "pydocs": 1}
    assert sorted(await acme.check()) == ["docs", "pydocs"]
    assert list(await acme.check("docs")) == ["docs"]
    for words, expected in (("fish", (HERONS.url, "docs")), ("how many", ("pydoc:len", "pydocs"))):
        for collections in (None, expected[1]):
            [hit] = await acme.search(words, collections=collections)
            assert (hit.url, hit.explain.local.collection) == expected
    assert [p.url for p in await acme.passages("fish", collections=["docs"])] == [HERONS.url]
    await acme.export_jsonl(tmp_path / "out.jsonl", "docs")
    [line] = map(json.loads, (tmp_path / "out.jsonl").read_text().splitlines())
    assert (line["collection"], line["url"]) == ("docs", HERONS.url)

    await acme.optimize()
    assert await acme.delete(HERONS.url, "docs") == 1
    await acme.drop("docs")

    assert await acme.collections() == ["pydocs"]
    assert await index.collections() == ["docs", "pydocs"]
    assert urls(await index.search("herons otters", collections="docs")) == [OTTERS.url]
    other = await index.for_tenant("umbrella").search("rivers riesling", collections="docs")
    assert set(urls(other)) == {HERONS.url, WINE.url}


async def test_what_is_everybodys_cannot_be_changed_by_a_tenant(index):
    """Nor can another tenant's be named, by whatever name it is stored."""
    acme = index.for_tenant("acme")
    for name, said in (("pydocs", "everybody's"), (STORED, "cannot be called")):
        for change in (
            acme.add([OTTERS], name),
            acme.delete("pydoc:len", name),
            acme.drop(name),
            acme.optimize(name),
        ):
            with pytest.raises(InvalidQuery, match=said):
                await change
    for anyone in (index, acme):
        with pytest.raises(InvalidQuery, match="cannot be called"):
            await anyone.search("fish", collections=STORED)

    assert urls(await index.search("fish", collections="pydocs")) == ["pydoc:len"]
    assert await index.add([OTTERS], "pydocs") == AddResult(added=1)


async def test_what_is_no_name_does_not_stand_for_all_collections(index):
    """`None` does: a mistake in a program is not work on everything that a tenant has."""
    for anyone in (index, index.for_tenant("acme")):
        with pytest.raises(UnknownName, match="'7'"):
            await anyone.optimize(7)


async def test_a_snapshot_is_the_operators(index, tmp_path):
    """It holds every tenant's collections."""
    with pytest.raises(InvalidQuery, match="the operator takes it"):
        await index.for_tenant("acme").snapshot(tmp_path / "copy")


async def test_other_applications_collections_are_the_operators():
    """A tenant is not told what else is on the server."""
    with QdrantServer() as server:
        QdrantClient(url=server.url, check_compatibility=False).create_collection(
            "theirs", vectors_config={}
        )
        async with Index(url=server.url) as index:
            assert await index.foreign_collections() == ["theirs"]
            assert await index.for_tenant("acme").foreign_collections() == []


async def test_errors_have_the_names_of_the_tenant_and_suggest_only_its_own(index):
    """They do not tell of others."""
    acme = index.for_tenant("acme")
    await index.for_tenant("umbrella").add([OTTERS], "docz-of-umbrella")

    with pytest.raises(UnknownName) as unknown:
        await acme.search("fish", collections="docz")
    with pytest.raises(IndexFault) as fault:
        await acme.search("fish", collections="docs", mode="dense")

    assert unknown.value.name == "docz"
    assert "docs" in unknown.value.remedy
    assert "umbrella" not in str(unknown.value)
    assert "docs" in fault.value.message
    for error in (unknown.value, fault.value):
        assert "tenant." not in f"{error} {error.message} {error.remedy} {error.args}"


async def test_a_stored_name_is_a_digest_that_does_not_change():
    """It is on people's disks and servers; who may look there does not read who the tenant is."""
    with QdrantServer() as server:
        async with Index(url=server.url) as index:
            await index.for_tenant("acme").add([OTTERS], "docs")
            await index.add([OTTERS], "docs")
        sent = {path for method, path in server.requests if method == "PUT"}
        bodies = json.dumps(server.bodies)

    assert f"/collections/kensaku-{STORED}" in sent
    assert "/collections/kensaku-docs" in sent
    assert "acme" not in bodies + str(sent)


async def test_a_tenants_view_does_not_close_the_index(index):
    """The others go on."""
    acme = index.for_tenant("acme")

    await acme.close()

    assert urls(await acme.search("fish", collections="docs")) == [HERONS.url]
    assert urls(await index.search("fish", collections="docs")) == [OTTERS.url]
