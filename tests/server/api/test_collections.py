"""Collections by the page's API: what of a file or a page goes into the index, and out of it."""

from __future__ import annotations

from tests.server.conftest import PROSE
from tests.server.page_client import browsing

BASE = "/api/collections/notes"


async def test_collections_are_filled_and_emptied(reading_server, upstream):
    """By files and by pages; each reply says what it came to."""
    url = upstream.serves("/otters", f"<title>Otters</title><main><p>{PROSE}</p></main>")
    empty = upstream.serves("/empty", "<title>Nothing</title>")
    async with browsing(reading_server.url) as page:
        files = [
            await page.call("POST", f"{BASE}/files?name=a.md", body)
            for body in (b"# Otters\n\nswim", b"# Otters\n\nswim", b"# Otters\n\nromp")
        ]
        added = await page.call("POST", f"{BASE}/documents", {"url": url})
        for refused in (empty, upstream.url + "/gone"):
            await page.call("POST", f"{BASE}/documents", {"url": refused})
            assert page.status == 502  # whatever another server said is not ours to say
        listed = await page.call("GET", "/api/collections")
        gone = await page.call("DELETE", f"{BASE}/documents", {"url": url})
        again = await page.call("DELETE", f"{BASE}/documents", {"url": url})
        await page.call("DELETE", "/api/collections/other")
        assert page.status == 400
        dropped = await page.call("DELETE", BASE)
        left = await page.call("GET", "/api/collections")

    assert [file["result"] for file in files] == ["added", "unchanged", "updated"]
    assert (added["name"], added["result"]) == (url, "added")
    assert listed["collections"]["notes"]["documents"] == 2
    assert (gone, again) == ({"deleted": 1}, {"deleted": 0})
    assert dropped == {"deleted": "notes"}
    assert left == {"collections": {}}


async def test_a_file_is_read_by_the_ending_of_its_name(make_server):
    """It is found with its title, or its name, and without its markup."""
    server = await make_server("local")
    files = {
        "x%20y.txt": b"plain otters *swim*",
        "b.MARKDOWN": b"# Kelp\n\nkelp **grows** and otters",
        "c.HTM": b"<title>Urchins</title><script>x()</script><p>urchins fear <b>otters</b></p>",
        "d.csv": b"animal,food\notter,urchin\n",
        "e" * 400 + ".txt": b"otters of a long name",
    }
    async with browsing(server.url) as page:
        for name, content in files.items():
            said = await page.call("POST", f"{BASE}/files?name={name}", content)
            assert said["result"] == "added"
        assert len(said["name"]) == 300
    found = await server.client.search("otters otter kelp", route="local", max_results=9)

    by_url = {hit.url: hit for hit in found.hits}
    assert by_url.keys() == {
        "upload:///x%20y.txt", "upload:///b.MARKDOWN", "upload:///c.HTM", "upload:///d.csv",
        "upload:///" + "e" * 300,
    }  # fmt: skip
    assert by_url["upload:///b.MARKDOWN"].title == "Kelp"
    assert by_url["upload:///c.HTM"].title == "Urchins"
    assert "<b>" not in by_url["upload:///c.HTM"].content
    assert "x()" not in by_url["upload:///c.HTM"].content


async def test_what_cannot_be_kept_is_refused_with_a_reason(make_server):
    """A file without a name, a content or a text; an address out of bounds; a name that is none."""
    server = await make_server("local")
    refused = [
        ("POST", f"{BASE}/files", b"x", 400),
        ("POST", f"{BASE}/files?name=+", b"x", 400),
        ("POST", f"{BASE}/files?name=a", b"", 400),
        ("POST", f"/api/collections/{'x' * 300}/files?name=a", b"x", 400),
        ("POST", f"{BASE}/files?name=a.bin", b"\x00\x01\x02" * 99, 422),
        ("POST", f"{BASE}/documents", {"url": ""}, 400),
        ("POST", f"{BASE}/documents", {"url": "https://a.example/" + "x" * 8_000}, 400),
        ("DELETE", f"{BASE}/documents", {"url": "u"}, 400),
    ]
    async with browsing(server.url) as page:
        for method, path, body, status in refused:
            said = await page.call(method, path, body)
            assert (page.status, bool(said["error"]["message"])) == (status, True), path
        assert await page.call("GET", "/api/collections") == {"collections": {}}


async def test_a_file_that_cannot_be_read_is_the_senders_matter(page):
    """422 and why, for it is no other server's fault."""
    for name, data in (("a.pdf", b"%PDF-1.7 and nothing else"), ("b.docx", b"PK\x03\x04 no")):
        said = await page.call("POST", f"/api/collections/own/files?name={name}", data)
        assert page.status == 422, said
