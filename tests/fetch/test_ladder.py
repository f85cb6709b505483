"""Rungs: a page that is refused or gone is read elsewhere, if the person allowed that."""

from __future__ import annotations

import asyncio
from urllib.parse import urlsplit

import pytest

from kensaku.errors import AddressRefused, ConfigError, FetchError, NotAllowed, PageUnavailable
from kensaku.extract import ParsePool
from kensaku.fetch import Crawl, PageReader, Plan
from kensaku.fetch.ladder import Ladder
from kensaku.fetch.rungs import SITES, load_services
from kensaku.store import MemoryStore
from kensaku.tools import WebExtractTool
from tests.fetch import rung_replies as replies
from tests.fetch.web import whole

URL = "http://public.test/page"
BLOCKED = (403, {}, b"go away")
CHALLENGE = (403, {"cf-mitigated": "challenge"}, b"Just a moment...")
SERVICE, READER = "http://service.test", "http://reader.test"
AVAILABLE, SNAPSHOT = "service.test/wayback/available", "/web/20240501120000id_/"


@pytest.fixture
def climbing(web, fetcher):
    """Makes a reader whose page is refused, with rungs on services of the small web."""
    for name in ("service.test", "reader.test"):
        web.names[name] = ["93.184.215.20"]
    web.pages["public.test/page"] = BLOCKED

    def make(*rungs, **options):
        urls = dict.fromkeys([*SITES, "archive"], SERVICE)
        key = options.pop("key", None)
        services = load_services(
            rungs, urls=urls, reader_url=READER, reader_key=key and (lambda: key)
        )
        return PageReader(fetcher(ladder=Ladder(services), **options), ParsePool(1))

    return make


@pytest.fixture
def archived(web):
    """The archive has the page."""
    kind, body = replies.available(url="http://169.254.169.254/latest/meta-data/")
    web.pages[AVAILABLE] = (200, {"Content-Type": kind}, body)
    kind, body = replies.SNAPSHOT
    web.pages[f"service.test{SNAPSHOT}{URL}"] = (200, {"Content-Type": kind}, body)
    return web


def serve(web, host, path, reply):
    web.pages[host + path] = (200, {"Content-Type": reply[0]}, reply[1])


@pytest.mark.parametrize("case", replies.SITES, ids=lambda c: urlsplit(c.page).path)
async def test_a_refused_page_is_read_by_the_sites_own_feed_or_api(web, climbing, case):
    """What it says is there, what it hides is not, and the result says where it is from."""
    host = urlsplit(case.page).hostname
    web.names[host] = ["93.184.215.14"]
    web.pages[host + urlsplit(case.page).path] = CHALLENGE
    for path, reply in case.replies.items():
        serve(web, "service.test", path, reply)

    page, fetched = await climbing("site").read(case.page)

    whole_text = f"{page.title}\n{page.text}\n{page.markdown}"
    assert [word for word in case.words if word not in whole_text] == []
    assert "hidden words" not in whole_text
    assert (page.url, page.rung, fetched.via) == (case.page, "site", "site")
    assert page.source_url.startswith(SERVICE + next(iter(case.replies)))
    assert "service.test" in page.copy_note
    assert "check for robots" in page.copy_note


async def test_without_a_rung_nobody_else_is_asked(web, fetcher):
    """They are off by default: others would learn what is read."""
    web.pages["public.test/page"] = BLOCKED

    with pytest.raises(PageUnavailable) as refused:
        await PageReader(fetcher(), ParsePool(1)).read(URL)

    assert refused.value.status == 403
    assert web.lookups.count("public.test") == len(web.lookups)


async def test_the_newest_snapshot_says_its_day(archived, climbing):
    """As it was sent then. Of the archive's reply only the time counts, never an address."""
    page, _ = await climbing("archive").read(URL)

    assert "They slept in kelp" in page.text
    assert "hidden words" not in page.text
    assert page.rung == "archive"
    assert page.source_url == f"{SERVICE}/web/20240501120000/{URL}"
    assert "2024-05-01" in page.copy_note
    assert "answered 403" in page.copy_note
    assert set(archived.dialled) == {"93.184.215.14", "93.184.215.20"}


async def test_a_reader_is_asked_with_its_key(web, climbing):
    """Its base URL and the address of the page, as Jina's takes them."""
    web.pages["public.test/page"] = (410, {}, b"")
    serve(web, "reader.test", "/http://public.test/page", replies.READER)

    page, _ = await climbing("reader", key="jina_5ecret").read(URL)

    asked = [r for r in web.seen if r.host == "reader.test"]
    assert [r.headers.get("authorization") for r in asked] == ["Bearer jina_5ecret"]
    assert (page.title, page.rung) == ("Otters", "reader")
    assert "They sleep in kelp." in page.text
    assert "hidden words" not in page.text


async def test_the_rungs_are_tried_in_their_order(archived, climbing):
    """The next one when one fails; the error of the page when all do, with what was tried."""
    serve(archived, "reader.test", "/http://public.test/page", replies.READER_FAILED)
    reader = climbing("reader", "archive")
    page, _ = await reader.read(URL)
    assert page.rung == "archive"

    serve(archived, "service.test", "/wayback/available", replies.NOT_AVAILABLE)
    with pytest.raises(PageUnavailable) as failed:
        await climbing("reader", "archive").read(URL)
    assert failed.value.status == 403
    assert failed.value.message.startswith("the server answered 403 (also tried: reader: ")
    assert "archive: it does not have the page" in failed.value.message


@pytest.mark.parametrize(
    "target", ["http://elsewhere.test/", "http://10.0.0.1/", "http://reader.test:8080/"]
)
async def test_a_rung_is_not_led_to_another_host(web, climbing, target):
    """Neither the key of a reader nor we ourselves go where its reply says."""
    web.names["elsewhere.test"] = ["93.184.215.30"]
    web.pages["reader.test/http://public.test/page"] = (302, {"Location": target}, b"")

    with pytest.raises(PageUnavailable, match="also tried: reader"):
        await climbing("reader", key="jina_5ecret").read(URL)

    assert "elsewhere.test" not in web.lookups
    assert set(web.dialled) == {"93.184.215.14", "93.184.215.20"}


@pytest.mark.parametrize(
    ("host", "addresses"),
    [
        ("wiki.test", ["10.1.2.3"]),  # by a network that the operator allows
        ("intern.test", ["93.184.215.40"]),  # by its name
        ("printer", None),  # gone, or of another network
        ("db.corp", None),
        ("metadata.test", ["169.254.169.254"]),
        ("10.1.2.4", None),
    ],
)
async def test_private_addresses_are_told_to_nobody(web, climbing, host, addresses):
    """An archive or a reader never learns of a page inside, whether it is there or not."""
    web.names[host] = addresses
    web.pages[f"{host}/secret-plan"] = (404, {}, b"")
    reader = climbing("reader", "archive", allow=["10.1.0.0/16", "intern.test"])

    with pytest.raises(FetchError) as failed:
        await reader.read(f"http://{host}/secret-plan")

    assert "also tried" not in failed.value.message
    assert not {r.host for r in web.seen} & {"reader.test", "service.test"}


async def test_a_site_that_is_gone_is_read_from_the_archive(archived, climbing):
    """Its name is not known any more; without a copy, the error says no more than ever."""
    del archived.names["public.test"]

    page, _ = await climbing("archive").read(URL)
    assert "They slept in kelp" in page.text

    serve(archived, "service.test", "/wayback/available", replies.NOT_AVAILABLE)
    with pytest.raises(AddressRefused) as refused:
        await climbing("archive").read(URL)
    assert "archive" not in str(refused.value)


async def test_a_copy_is_cached_apart_from_the_page(archived, climbing):
    """It is not asked for twice, and does not stand for the page when that is back."""
    store = MemoryStore()
    reader = climbing("archive", store=store)
    first, _ = await reader.read(URL)
    again, fetched = await reader.read(URL)
    assert fetched.via == "cache"
    assert (again.text, again.notes, again.rung, again.source_url) == (
        first.text, first.notes, first.rung, first.source_url
    )  # fmt: skip
    assert sum(r.path.startswith("/web/") for r in archived.seen) == 1

    archived.pages["public.test/page"] = "<p>The page itself, which is back again.</p>"
    page, _ = await reader.read(URL)
    assert (page.rung, page.notes) == (None, ())


async def test_what_robots_txt_forbids_is_read_nowhere(archived, climbing):
    """A rung is no way around it; and the robots.txt of the archive counts, too."""
    archived.pages["public.test/robots.txt"] = "User-agent: *\nDisallow: /"
    with pytest.raises(NotAllowed):
        await climbing("archive").read(URL)

    archived.pages["public.test/robots.txt"] = (404, {}, b"")
    archived.pages["service.test/robots.txt"] = "User-agent: *\nDisallow: /web/"
    with pytest.raises(PageUnavailable, match="robots to stay out"):
        await climbing("archive").read(URL)


async def test_what_the_page_said_of_ai_when_it_was_archived_counts(archived, climbing):
    """The archive repeats its headers under names of its own."""
    kind, body = replies.SNAPSHOT
    headers = {"Content-Type": kind, "X-Archive-Orig-X-Robots-Tag": "noai"}
    archived.pages[f"service.test{SNAPSHOT}{URL}"] = (200, headers, body)

    with pytest.raises(NotAllowed):
        await climbing("archive", optouts="refuse").read(URL)


async def test_a_crawl_does_not_climb(archived, climbing):
    """It would copy a whole site from others."""
    result = await Crawl(climbing("archive"), Plan(URL))

    assert [f.error.status for f in result.failed] == [403]
    assert not any(r.host == "service.test" for r in archived.seen)


async def test_a_slow_rung_leaves_the_error_of_the_page(web, climbing):
    """The deadline is the caller's; what is known by then is told."""

    async def hang(writer, request):
        await request.gone()

    web.pages[AVAILABLE] = hang
    deadline = asyncio.get_running_loop().time() + 0.3
    with pytest.raises(PageUnavailable) as failed:
        await climbing("archive").read(URL, deadline=deadline)
    assert failed.value.status == 403


HOSTILE = [
    b"", b"[]", b"null", b"7", b'"x"', b"{}", b'{"items": 5}', b'{"items": [5]}', b"[" * 100_000,
    b'{"children": [[]], "title": [], "url": {}, "text": 5}', b"\xff\xfe\x00", b"<html>",
    b'{"archived_snapshots": {"closest": {"available": true, "status": "200", "timestamp": '
    b'"99999999999999"}}}',
    b'{"archived_snapshots": {"closest": {"available": true, "status": "200", "timestamp": '
    b'"../../20240501"}}}',
    b'<!DOCTYPE f [<!ENTITY a "b">]><feed><entry>&a;</entry></feed>', b"<feed><entry><name/></feed>",
    b"Title: x\n\nMarkdown Content:\n", CHALLENGE[2],
]  # fmt: skip


@pytest.mark.parametrize("body", HOSTILE, ids=range(len(HOSTILE)))
async def test_whatever_a_service_replies_the_page_has_one_error(web, climbing, body):
    """A `FetchError` or a page, for each service; nothing else comes out."""
    pages = [URL, *(case.page for case in replies.SITES)]
    for page in pages:
        web.names.setdefault(urlsplit(page).hostname, ["93.184.215.14"])
        web.pages[urlsplit(page).hostname + urlsplit(page).path] = BLOCKED

    async def reply(writer, request):
        writer.write(whole(200, {"Content-Type": "application/json"}, body))

    web.pages = {n: p for n, p in web.pages.items() if p is BLOCKED}
    for host in ("service.test", "reader.test"):
        web.pages[f"{host}/robots.txt"] = ""
    known = dict(web.pages)

    class Everything(dict):
        def get(self, name, default=None):
            return known.get(name, None if "/" not in name[1:] else default) or (
                reply if name.startswith(("service.test", "reader.test")) else default
            )

    web.pages = Everything(known)
    for rung in ("site", "reader", "archive"):
        done = await climbing(rung).extract(pages, timeout=20)
        assert len(done.results) + len(done.failed) == len(pages)
        assert all(isinstance(failure.error, FetchError) for failure in done.failed)


def test_a_reader_needs_an_address():
    """And an unknown service is named."""
    with pytest.raises(ConfigError, match="reader_url"):
        load_services(["reader"])
    with pytest.raises(ValueError, match="gitlab"):
        load_services(["site"], urls={"gitlab": "https://x.test"})


async def test_a_model_and_a_person_see_that_it_is_a_copy(web, make_client):
    """By the settings alone, through a proxy of the operator's: the note stands outside the fence."""
    page, (path, reply) = replies.REDDIT.page, next(iter(replies.REDDIT.replies.items()))
    web.pages["http://www.reddit.com/r/otters/comments/1abc2d/do_they_sleep/"] = CHALLENGE
    web.pages[f"{SERVICE}{path}"] = (200, {"Content-Type": reply[0]}, reply[1])
    client = make_client(
        "tavily", fetch_proxy=f"http://127.0.0.1:{web.port}", fetch_rungs="site",
        fetch_rung_urls=f"reddit={SERVICE}",
    )  # fmt: skip

    result = await WebExtractTool(client).invoke({"urls": [page]})

    assert "In kelp, on their backs." in result.text
    assert result.text.splitlines()[-1].startswith(
        "page 1 above: the page itself could not be read"
    )
    (read,) = result.output["results"]
    assert (read["rung"], read["source_url"]) == ("site", f"{SERVICE}{path}")
