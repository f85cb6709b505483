"""A page that is read here: from the web, or as the index holds it."""

from __future__ import annotations

import pytest

from kensaku.errors import FetchError, InvalidQuery, Unparsable
from kensaku.models import Document
from kensaku.server.api import pages
from kensaku.server.page.markdown import to_html
from kensaku.server.page.render import render

PROSE = "Otters hold hands while they sleep, so that they do not drift apart. " * 6


async def test_a_page_is_shown_as_html_that_can_do_nothing(make_call, upstream):
    """With its title."""
    url = upstream.serves("/otters", f"<title>Otters</title><main><p>{PROSE}</p></main>")
    call = make_call({"url": url})

    read = await pages.read(call)

    title, markdown = await pages._from_web(call, url)
    assert title == "Otters"
    html = render(call.page, "_reader.html", title="Otters", text=to_html(markdown))
    assert read == {"title": "Otters", "html": html}
    assert "hold hands" in html


@pytest.mark.parametrize("url", ["", "x" * 8_001])
async def test_an_address_has_bounds(make_call, url):
    """8,000 characters."""
    with pytest.raises(InvalidQuery, match="url must be a text of 1 to 8,000 characters"):
        await pages.read(make_call({"url": url}))


async def test_a_page_that_is_gone_is_had_from_the_index(make_call, upstream, state):
    """By the words of the search, or by its address; else the reason of the web is told."""
    gone = upstream.url + "/gone"
    document = Document(gone, "Kept", "kelp is gone from cold water")
    await state.client.index.add([document], "notes")

    for fields in ({"q": "kelp"}, {"q": " "}, {"q": 5}, {}):
        found = await pages._fetched(make_call(fields), gone)
        assert found == ("Kept", "kelp is gone from cold water"), fields
    with pytest.raises(FetchError, match="404"):
        await pages._fetched(make_call({"q": "kelp"}), upstream.url + "/lost")


async def test_what_is_no_address_of_the_web_is_looked_for_in_the_index_alone(make_call, state):
    """A file that was uploaded, say."""
    await state.client.index.add([Document("upload:///a.md", "A", "kelp grows")], "notes")

    read = await pages.read(make_call({"url": "upload:///a.md", "q": "kelp"}))

    assert (read["title"], "kelp grows" in read["html"]) == ("A", True)
    with pytest.raises(Unparsable, match="the index does not hold it any more"):
        await pages.read(make_call({"url": "upload:///b.md", "q": "kelp"}))


async def test_a_page_without_text_is_not_shown_empty(make_call, upstream):
    """It is said why, as far as it is known."""
    empty = upstream.serves("/empty", "<title>Nothing</title>")

    with pytest.raises(Unparsable) as refused:
        await pages._from_web(make_call(), empty)
    assert refused.value.message
