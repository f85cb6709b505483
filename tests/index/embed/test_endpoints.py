"""Vectors from an embedding server, by a setting: over HTTP, in three shapes, and when it fails."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from kensaku import Document
from kensaku.errors import IndexFault, Outage
from kensaku.index import AddResult
from tests.index.embed.stand_in import PATHS, StandIn

NOTES = [
    Document("doc:ja", "検索", "検索エンジンの仕組みを説明します。", language="ja"),
    Document("doc:de", "Otter", "Fischotter leben an Flüssen und Seen.", language="de"),
    Document("doc:th", "นาก", "นากทะเลจับมือกันขณะนอนหลับ", language="th"),
]
MANY = [Document(f"doc:{n}", f"Note {n}", f"This is note {n} of many.") for n in range(100)]


@pytest.fixture
def server() -> Iterator[StandIn]:
    with StandIn() as made:
        yield made


def local(make_client: Any, server: StandIn, kind: str = "openai", **settings: Any) -> Any:
    return make_client("local", index_model=server.name(kind), **settings)


@pytest.mark.parametrize(("kind", "batch"), [("openai", 64), ("ollama", 64), ("tei", 32)])
async def test_passages_of_every_language_have_vectors(make_client, server, kind, batch):
    """One setting says the server's shape, the model's name and the address."""
    client = local(make_client, server, kind, index_model_api_key="mk-1")
    await client.index.add([*NOTES, *MANY])
    found = {}
    for text in ("検索エンジンとは", "Fischottern", "นากทะเล"):
        [hit] = await client.index.search(text, max_results=1)
        found[hit.url] = hit.explain.local.cosine

    assert set(found) == {note.url for note in NOTES}
    assert all(cosine > 0.2 for cosine in found.values())
    assert max(map(len, server.texts)) <= batch
    assert server.keys == {None if kind == "ollama" else "Bearer mk-1"}
    stats = await client.index.stats()
    assert stats["default"]["model"] == f"{kind}:stand-in"
    assert set(PATHS) >= {kind}


async def test_a_run_that_was_interrupted_embeds_what_is_missing(make_client, server):
    """The error says how far it came; what was embedded is not embedded again."""
    client = local(make_client, server)
    long = Document("doc:long", "", "\n\n".join(f"# Part {n}\n\n{'x ' * 1_400}" for n in range(90)))
    documents = [*MANY[:70], long]
    server.breaks_after = 2  # the first batch, and a part of the long document
    with pytest.raises(IndexFault, match="64 of 71 documents") as caught:
        await client.index.add(documents)
    server.breaks_after = None
    again = await client.index.add(documents)

    assert caught.value.remedy.startswith("add them again")
    assert again == AddResult(added=7, unchanged=64)
    texts = [text for request in server.texts for text in request]
    assert len(texts) == len(set(texts)) == 160


async def test_a_busy_server_is_asked_again(make_client, server):
    """Too many requests, or one moment out of order."""
    server.refusals = [429, 503]
    client = local(make_client, server)

    assert await client.index.add(NOTES) == AddResult(added=3)
    assert len(server.texts) == 1


async def test_a_search_answers_by_words_when_the_server_is_gone(make_client, server):
    """With a note. Only who asks for vectors gets an error."""
    client = local(make_client, server)
    await client.index.add(NOTES)
    server.stop()

    found = await client.search("Fischotter")
    with pytest.raises(Outage):
        await client.index.search("Fischotter", mode="dense")

    assert [hit.url for hit in found.hits] == ["doc:de"]
    assert any("by words only" in note for note in found.notes)


async def test_an_answer_without_vectors_is_said_with_a_remedy(make_client, server, upstream):
    """The address of something else."""
    upstream.serves("/v1/embeddings", '{"data": "no"}', "application/json")
    client = make_client("local", index_model=f"openai:m@{upstream.url}/v1")

    with pytest.raises(IndexFault, match="0 vectors for 3 texts") as caught:
        await client.index.add(NOTES)

    assert "address" in caught.value.remedy


async def test_collections_with_and_without_vectors_are_searched_together(
    make_client, server, tmp_path
):
    """An exact match in the one is not drowned by what is near in the other."""
    home = tmp_path / "both"
    plain = make_client("local", home=home)
    await plain.index.add([Document("doc:exact", "", "The harbour seal sleeps.")], "plain")
    await plain.close()
    client = local(make_client, server, home=home)
    near = [Document(f"doc:near{n}", "", f"The harbours of the sea, part {n}.") for n in range(9)]
    await client.index.add(near, "dense")

    hits = await client.index.search("harbour seal", max_results=20)

    assert hits[0].url == "doc:exact"
    assert {hit.url for hit in hits} == {"doc:exact", *(d.url for d in near)}
    assert hits[0].explain.local.cosine is None
    assert hits[1].explain.local.cosine is not None
