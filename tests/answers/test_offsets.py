"""The offsets of a passage count the characters of the page's text, wherever the page came from."""

from __future__ import annotations

from typing import Any

import pytest

from kensaku import Hit, Kensaku, Page
from kensaku.testing import FakeUpstream

FILLER = (
    "Kelp grows <i>fast</i> in cold water and feeds many <a href='/x'>animals</a> of the coast. "
)
HTML = (
    "<!doctype html><html lang=en><title>Otters</title><body><article><h1>Sea *otters*</h1>"
    f"<p>{FILLER * 12}</p><h2>Sleep</h2><p>While they sleep, <b>sea otters</b> hold "
    f"<a href='https://e.org/hands'>hands</a> so that they do not drift apart.</p><p>{FILLER * 12}</p>"
    "<h2>Food</h2><ul><li>Urchins, of which they eat a great many</li><li>Crabs</li></ul>"
    "<table><tr><th>Place</th><th>Otters</th></tr><tr><td>Alaska</td><td>90,000</td></tr></table>"
    f"<p>{FILLER * 12}</p></article></body></html>"
)
QUERY = "why do sea otters hold hands while they sleep"


@pytest.fixture
async def page_and_client(upstream: FakeUpstream, make_client: Any) -> tuple[Page, Kensaku]:
    url = upstream.serves("/otters", HTML)
    upstream.answers("brave", [Hit(url, "Otters", "About otters.")])
    client = make_client("brave", "local", fetch_allow=("127.0.0.1",), fetch_ports=("any",))
    return (await client.extract([url])).results[0], client


async def _context(client: Kensaku, page: Page, how: str) -> Any:
    if how == "stored":
        await client.index.add([page])
        return await client.context(QUERY, route=["local"], max_tokens=3_000)
    return await client.context(QUERY, route=["brave"], depth="advanced", max_tokens=3_000)


@pytest.mark.parametrize("how", ["stored", "fetched"])
async def test_passages_are_where_they_say(page_and_client: Any, how: str) -> None:
    """An application that highlights a citation in the page must hit the very words."""
    page, client = page_and_client

    context = await _context(client, page, how)

    passages = [p for citation in context.citations for p in citation.passages]
    assert passages
    assert all(page.text[p.start : p.end] == p.text for p in passages)
    assert all(p.heading.startswith("Sea *otters*") for p in passages)


@pytest.mark.parametrize("how", ["stored", "fetched"])
async def test_a_quote_that_a_reader_sees_is_verified(page_and_client: Any, how: str) -> None:
    """Bold words and links are no part of what stands there."""
    page, client = page_and_client
    (citation,) = (await _context(client, page, how)).citations

    seen = await client.verify("While they sleep, sea otters hold hands", citation)

    assert page.text[seen.start : seen.end] == "While they sleep, sea otters hold hands"


async def test_an_answer_holds_no_marks_of_ours(page_and_client: Any) -> None:
    """The Markdown of a page is our writing, not the page's."""
    page, client = page_and_client
    await client.index.add([page])

    answer = await client.answer(QUERY, route=["local"])

    assert "sea otters hold hands" in answer.text
    assert "**" not in answer.text
    assert "](" not in answer.text


async def test_headings_survive_an_export(page_and_client: Any, tmp_path: Any) -> None:
    """What was moved to another machine ranks there as it did here."""
    page, client = page_and_client
    await client.index.add([page])

    await client.index.export_jsonl(tmp_path / "all.jsonl")
    await client.index.import_jsonl(tmp_path / "all.jsonl", collection="copy")

    copy = await client.index.get(page.url, collection="copy")
    assert copy == await client.index.get(page.url)
    assert [words for _, _, words in copy.headings] == ["Sea *otters*", "Sleep", "Food"]
