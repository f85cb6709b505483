"""A page that is read here: from the web, or as the index holds it."""

from __future__ import annotations

from kensaku.models import Document
from tests.server.conftest import PROSE
from tests.server.page_client import browsing


async def test_a_page_is_read_from_the_web_or_from_the_index(reading_server, upstream):
    """The index has it when it is gone, by the words of the search or by its address."""
    url = upstream.serves("/otters", f"<title>Otters</title><main><p>{PROSE}</p></main>")
    gone, upload = upstream.url + "/gone", "upload:///a.md"
    documents = [Document(gone, "Kept", "kelp is gone from cold water"),
                 Document(upload, "File", "kelp grows")]  # fmt: skip
    await reading_server.client.index.add(documents, "notes")
    async with browsing(reading_server.url) as page:
        read = await page.call("POST", "/api/pages", {"url": url})
        for q in ("kelp", " ", 5, None):
            kept = await page.call("POST", "/api/pages", {"url": gone, "q": q})
            assert (kept["title"], "gone from cold water" in kept["html"]) == ("Kept", True)
        file = await page.call("POST", "/api/pages", {"url": upload, "q": "kelp"})

    assert (read["title"], "hold hands" in read["html"]) == ("Otters", True)
    assert (file["title"], "kelp grows" in file["html"]) == ("File", True)


async def test_why_a_page_cannot_be_read_is_said(reading_server, upstream):
    """What is neither on the web nor in the index, what has no text, what is no address."""
    empty = upstream.serves("/empty", "<title>Nothing</title>")
    await reading_server.client.index.add([Document("file:///a", "A", "otters")], "notes")
    refused = [
        (upstream.url + "/lost", 502, "404"), (empty, 502, ""), ("file:///x", 502, "index"),
        ("", 400, "1 to 8,000"), ("x" * 8_001, 400, "1 to 8,000"),
    ]  # fmt: skip
    async with browsing(reading_server.url) as page:
        for url, status, says in refused:
            said = await page.call("POST", "/api/pages", {"url": url, "q": "kelp"})
            assert page.status == status
            assert said["error"]["message"]
            assert says in said["error"]["message"]


async def test_what_a_document_holds_can_do_nothing_here(make_server):
    """Its Markdown is text; its address may be none that can be fetched."""
    server = await make_server("local")
    text = "# Otters\n\n<script>alert(1)</script> [x](javascript:alert(1)) **romp**"
    await server.client.index.add([Document("file:///notes/otters.md", "Otters", text)], "notes")

    async with browsing(server.url) as page:
        asked = {"url": "file:///notes/otters.md", "q": "otters"}
        read = await page.call("POST", "/api/pages", asked)

    assert "<strong>romp</strong>" in read["html"]
    assert "<script" not in read["html"]
    assert "href" not in read["html"]
