"""The local index in a search: its texts, offsets, pages and notes come through unchanged."""

from __future__ import annotations

import pytest

from kensaku import Document, Kensaku, Settings
from kensaku.answers.context import Citation
from kensaku.answers.verify import verify_source


async def test_offsets_are_those_of_the_stored_document(machine):
    """A quote from a long document is found where it is, line breaks and all (S4: citations)."""
    parts = [f"## Part {n}\n\n    code <b>{n}</b>\n\n{'Herons wait. ' * 180}\n\n" for n in range(9)]
    text = "".join(parts) + "The last heron\nis called Ada."
    async with Kensaku(Settings.load(environ={"KENSAKU_HOME": str(machine)})) as k:
        await k.index.add([Document("https://e.org/", "Herons", text)], collection="c")
        found = await k.context("last heron Ada", route=["local"], collection="c", max_tokens=900)
        response = await k.search(
            "last heron Ada", route=["local"], collection="c", include_raw_content=True
        )

    passages = [p for citation in found.citations for p in citation.passages]
    assert passages
    assert all(text[p.start : p.end] == p.text for p in passages)
    assert response.hits[0].raw_content == text
    cited = Citation.of(1, response.hits[0])
    quote = verify_source("is called Ada", cited)
    assert text[quote.start : quote.end] == "is called Ada"


async def test_contracts_that_differ_in_a_price_are_all_shown(machine):
    """They are alike but for one word, which is the one that matters."""
    text = "This contract is between the zoo and a supplier of fish for its otters and herons. " * 3
    contracts = [Document(f"doc:{n}", "Contract", f"{text} Price: {n}00 euros.") for n in (1, 2, 3)]
    async with Kensaku(Settings.load(environ={"KENSAKU_HOME": str(machine)})) as k:
        await k.index.add([*contracts, Document("doc:copy", "Contract", contracts[0].text)])
        found = await k.search("contract price", route=["local"])

    assert len(found.hits) == 3
    assert any("text of another" in note for note in found.notes)


async def test_copies_are_replaced_by_other_documents(machine):
    """Ten hits were asked for, and there are ten different texts behind the copies."""
    copied = "Otters hold hands while they sleep, so that they do not drift apart at sea. "
    copies = [Document(f"doc:copy{n}", "Otters", copied * 3) for n in range(60)]
    others = [
        Document(f"doc:{n}", f"Note {n}", f"Otters: note {n} of a long day.") for n in range(9)
    ]
    async with Kensaku(Settings.load(environ={"KENSAKU_HOME": str(machine)})) as k:
        await k.index.add([*copies, *others])
        found = await k.search("otters hands sleep", route=["local"], max_results=10)

    assert {hit.content for hit in found.hits} == {d.text.strip() for d in [*copies, *others]}
    assert len(found.hits) == 10
    assert len(found.hits[0].explain.copies) == 59


@pytest.mark.parametrize(
    ("one", "other", "count"),
    [
        (("T", "x " * 21), ("T", "x " * 21), 1),
        (("T", "x " * 21), ("Other", "x " * 21), 1),
        (("T", "x " * 10), ("T", "x " * 10), 1),
        (("T", "x " * 10), ("Other", "x " * 10), 2),
        (("T", "x " * 21), ("T", "x " * 22), 2),
    ],
)
async def test_documents_are_copies_by_their_whole_text(machine, one, other, count):
    """Short ones also by their titles: "Sign in to continue" is on many pages."""
    async with Kensaku(Settings.load(environ={"KENSAKU_HOME": str(machine)})) as k:
        await k.index.add([Document("doc:1", *one), Document("doc:2", *other)])
        found = await k.search("x", route=["local"])

    assert len(found.hits) == count
