"""Collections by the page's API: what of a file or a page goes into the index."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from kensaku.errors import FetchError, InvalidQuery, PageUnavailable, Unparsable
from kensaku.fetch.results import Failure
from kensaku.models import Document, Page
from kensaku.server.api import collections


class Client:
    """A client whose parser and reader give a page, and whose index notes what it gets."""

    def __init__(self, page: Page | None = None, failed: tuple[Failure, ...] = ()) -> None:
        self.page, self.failed = page, failed
        self.asked: list[Any] = []
        self.result = SimpleNamespace(added=1, updated=0)
        self.index = self
        self._resources = SimpleNamespace(reader=lambda: SimpleNamespace(parser=Parser(self)))

    async def extract(self, urls: Any, **options: float) -> Any:
        self.asked.append(("extract", urls, options["timeout"]))
        return SimpleNamespace(results=(self.page,), failed=self.failed)

    async def add(self, documents: Any, collection: str) -> Any:
        self.asked.append(("add", documents, collection))
        return self.result

    async def collections(self) -> list[str]:
        return ["notes"]

    async def delete(self, url: str, collection: str) -> int:
        self.asked.append(("delete", url, collection))
        return 1

    async def drop(self, collection: str) -> None:
        self.asked.append(("drop", collection))

    async def stats(self) -> dict[str, Any]:
        return {"notes": {"documents": 1}}


class Parser:
    def __init__(self, client: Client) -> None:
        self.client = client

    async def extract(self, raw: bytes, *, url: str, content_type: str) -> Any:
        self.client.asked.append(("parse", raw, url, content_type))
        return self.client.page


def called(make_call: Any, client: Client, *given: Any, **more: Any) -> Any:
    call = make_call(*given, **{"name": "notes", **more})
    call.session.client = client
    return call


PAGE = Page("x", "Otters", "otters", "**otters**", published="2026-01-02", language="en")


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("a.md", "text/markdown"),
        ("a.MARKDOWN", "text/markdown"),
        ("a.htm", "text/html"),
        ("a.html", "text/html"),
        ("a.xhtml", "text/html"),
        ("a.csv", "text/csv"),
        ("a.tsv", "text/tab-separated-values"),
        ("a.json", "application/json"),
        ("a.txt", "text/plain"),
        ("a.pdf", "text/plain"),
        ("md", "text/plain"),
    ],
)
async def test_a_file_is_read_by_the_ending_of_its_name(make_call, name, kind):
    """Where its first bytes do not show what it is."""
    client = Client(PAGE)

    told = await collections.add_file(called(make_call, client, {}, f"name={name}", raw=b"x"))

    document = Document(f"upload:///{name}", "Otters", "**otters**", published="2026-01-02",
                        language="en")  # fmt: skip
    assert client.asked == [("parse", b"x", name, kind), ("add", [document], "notes")]
    assert told == {"name": name, "result": "added", "said": "added"}


@pytest.mark.parametrize(
    ("page", "title", "text"),
    [
        (Page("x", "", "otters", ""), "a b.txt", "otters"),
        (Page("x", "Otters", "otters", ""), "Otters", "otters"),
    ],
)
async def test_a_file_without_a_title_has_its_name(make_call, page, title, text):
    """And one without Markdown its text."""
    client = Client(page)

    await collections.add_file(called(make_call, client, {}, "name=a%20b.txt", raw=b"x"))

    (document,) = client.asked[1][1]
    assert (document.url, document.title, document.text) == ("upload:///a%20b.txt", title, text)


async def test_the_name_of_a_file_has_a_bound(make_call):
    """300 characters; spaces around it do not count."""
    client = Client(PAGE)

    told = await collections.add_file(called(make_call, client, {}, "name=+" + "x" * 301, raw=b"x"))

    assert told["name"] == "x" * 300
    for query, raw in (("", b"x"), ("name=+", b"x"), ("name=a", b"")):
        with pytest.raises(InvalidQuery, match="a file needs a name and a content"):
            await collections.add_file(called(make_call, client, {}, query, raw=raw))
    with pytest.raises(InvalidQuery):
        await collections.add_file(called(make_call, client, {}, "name=a", raw=b"x", name=".."))


@pytest.mark.parametrize(
    ("notes", "says"), [(("scanned", "no text"), "scanned; no text"), ((), "no text can be had")]
)
async def test_a_file_without_text_is_refused(make_call, notes, says):
    """It could never be found."""
    client = Client(Page("x", "A", " \n", notes=notes))

    with pytest.raises(Unparsable, match=says):
        await collections.add_file(called(make_call, client, {}, "name=a", raw=b"x"))
    assert len(client.asked) == 1


@pytest.mark.parametrize(
    ("added", "updated", "result"), [(1, 0, "added"), (0, 1, "updated"), (0, 0, "unchanged")]
)
async def test_a_page_is_fetched_and_kept(make_call, added, updated, result):
    """Within thirty seconds; the reply says what it came to."""
    client = Client(PAGE)
    client.result = SimpleNamespace(added=added, updated=updated)
    url = "https://a.example/" + "x" * 7_982

    told = await collections.add_page(called(make_call, client, {"url": url}))

    assert told == {"name": url, "result": result, "said": "Kept in notes"}
    assert client.asked == [("extract", [url], 30.0), ("add", [PAGE], "notes")]
    with pytest.raises(InvalidQuery, match="1 to 8,000"):
        await collections.add_page(called(make_call, client, {"url": url + "x"}))


@pytest.mark.parametrize(
    ("page", "failed", "error", "says"),
    [
        (None, (Failure("u", PageUnavailable("gone", status=404)),), FetchError, "gone"),
        (Page("u", "A", " "), (), Unparsable, "it has no text"),
        (Page("u", "A", " ", notes=("a", "b")), (), Unparsable, "a; b"),
        (Page("u", "A", "Loading", needs_browser=True), (), Unparsable, "it has no text"),
    ],
    ids=["gone", "empty", "notes", "shell"],
)
async def test_a_page_that_cannot_be_read_is_not_kept(make_call, page, failed, error, says):
    """Nor is what scripts would have filled."""
    client = Client(page, failed)

    with pytest.raises(error, match=says):
        await collections.add_page(called(make_call, client, {"url": "u"}))
    assert len(client.asked) == 1


async def test_only_what_is_there_is_deleted(make_call):
    """A document by its address, or a collection with all of them."""
    client = Client()
    url = {"url": "u" * 8_000}

    assert await collections.listed(called(make_call, client)) == {
        "collections": {"notes": {"documents": 1}}
    }
    assert await collections.delete_page(called(make_call, client, url)) == {"deleted": 1}
    assert await collections.delete(called(make_call, client)) == {"deleted": "notes"}
    assert client.asked == [("delete", url["url"], "notes"), ("drop", "notes")]
    with pytest.raises(InvalidQuery, match="1 to 8,000"):
        await collections.delete_page(called(make_call, client, {"url": "u" * 8_001}))
    for act in (collections.delete, collections.delete_page):
        with pytest.raises(InvalidQuery) as refused:
            await act(called(make_call, client, url, name="x" * 81))
        assert str(refused.value) == f"there is no collection {'x' * 80!r}"
