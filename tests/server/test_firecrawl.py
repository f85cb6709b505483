"""Firecrawl's API, by both clients of its own Python package."""

from __future__ import annotations

import asyncio
from itertools import product
from typing import Any

import httpx
import pytest
from firecrawl import Firecrawl
from firecrawl.v1 import V1FirecrawlApp

from kensaku.errors import ConfigError
from kensaku.fetch.browser.chromium import find_chromium
from tests.answers.conftest import Model, Web

from .conftest import READS, MakeServer, Running

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of its client of version 1
SCHEMA = {
    "type": "object",
    "properties": {
        "animal": {"type": "string"},
        "share": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
    },
}


@pytest.fixture
async def server(make_server: MakeServer, web: Web) -> Running:
    """A server over a small web."""
    made: Running = await make_server(**READS)
    return made


@pytest.fixture
async def with_model(make_server: MakeServer, web: Web, model: Model) -> Running:
    """A server that has a model."""
    made: Running = await make_server(**READS, **model.settings)
    return made


def v1(server: Running, key: str = "fc-any") -> V1FirecrawlApp:
    """The client of version 1."""
    return V1FirecrawlApp(api_key=key, api_url=f"{server.url}/firecrawl")


def v2(server: Running, key: str = "fc-any") -> Firecrawl:
    """The client of version 2."""
    return Firecrawl(api_key=key, api_url=f"{server.url}/firecrawl", max_retries=1)


async def run(call: Any, *args: Any, **more: Any) -> Any:
    return await asyncio.to_thread(call, *args, **more)


async def post(server: Running, path: str, **body: Any) -> httpx.Response:
    async with httpx.AsyncClient(base_url=server.url, timeout=30) as client:
        return await client.post(path, json=body)


# --- scrape


async def test_both_versions_scrape_each_format(server, web):
    url = web.has("x", "/p/a", "Otters", "", html="<title>Otters</title><main><h1>Otters</h1>"
                  "<p>They <b>swim</b> far. <a href='/p/sleep'>Sleep</a></p></main>")  # fmt: skip

    one = await run(v1(server).scrape_url, url, formats=["markdown", "html", "rawHtml", "links"])
    formats = ["markdown", "html", "rawHtml", "links", "summary"]
    two = await run(v2(server).scrape, url, formats=formats)

    assert one.markdown == two.markdown
    assert "They **swim** far" in one.markdown
    assert one.html == two.html
    assert "They <strong>swim</strong> far" in one.html
    assert "They <b>swim</b> far" in one.rawHtml
    assert one.rawHtml == two.raw_html
    assert one.links == two.links == [f"{web.upstream.url}/p/sleep"]
    assert "They swim far" in two.summary
    assert (two.metadata.title, two.metadata.status_code) == ("Otters", 200)


async def test_a_model_summarizes(with_model, web, model):
    model.says("Summarize", "Otters rest in rafts.")
    page = await run(v2(with_model).scrape, f"{web.upstream.url}/p/sleep", formats=["summary"])
    assert page.summary == "Otters rest in rafts."


async def test_the_model_fills_a_schema_and_what_does_not_fit_is_null(with_model, web, model):
    model.says("Take", {"animal": "sea otter", "share": "a lot", "invented": 1})
    url = f"{web.upstream.url}/p/food"
    wanted = {"type": "json", "schema": SCHEMA, "prompt": "What eats how much?"}

    one = await run(v1(with_model).scrape_url, url, formats=["json"],
                    json_options={"schema": SCHEMA, "prompt": "What eats how much?"})  # fmt: skip
    two = await run(v2(with_model).scrape, url, formats=[wanted])

    assert one.json_field == two.json == {"animal": "sea otter", "share": None}
    rules, asked = model.asked("Take")[-1]
    assert '"animal"' in rules
    assert "25 % of their weight" in asked
    assert "What eats how much?" in asked


FORMATS: list[tuple[list[Any], str]] = [
    (["markdown", "branding"], "branding"),
    ([{"type": "json", "prompt": "x"}], "KENSAKU_MODEL"),
    ([{"type": "json"}], "json needs a schema or a prompt"),
    ([{"type": "json", "schema": {"properties": {"a": {"$ref": "#"}}}}], "#"),
    (["screenshot"], "kensaku-search[browser]"),
    ([{"type": "screenshot", "fullPage": "x"}], "fullPage"),
    ([5], "formats"),
]


async def test_a_format_that_cannot_be_had_is_refused_by_its_name(server, web):
    """Not a reply without it."""
    url = f"{web.upstream.url}/p/sleep"
    for version, (formats, says) in product(("v1", "v2"), FORMATS):
        reply = await post(server, f"/firecrawl/{version}/scrape", url=url, formats=formats)
        assert (reply.status_code, reply.json()["success"]) == (400, False), formats
        assert says in reply.json()["error"]


@pytest.mark.usefixtures("browser")
async def test_both_versions_show_a_page(make_server, web):
    """As a data: URL, which a Firecrawl without a storage of its own returns as well."""
    try:
        find_chromium()
    except ConfigError:
        pytest.skip("there is no Chromium")
    server = await make_server(**READS, fetch_browser="auto")
    url = web.has("x", "/p/a", "Otters", "", html="<p>Otters<div style='height:3000px'></div>")
    shot = {"type": "screenshot", "full_page": True, "quality": 30,
            "viewport": {"width": 400, "height": 99_999}}  # fmt: skip

    one = await run(v1(server).scrape_url, url, formats=["markdown", "screenshot"])
    full = await run(v1(server).scrape_url, url, formats=["screenshot@fullPage"])
    two = await run(v2(server).scrape, url, formats=[shot])
    batch = await run(v2(server).batch_scrape, [url], formats=["screenshot"], poll_interval=1)

    assert "Otters" in one.markdown
    assert one.screenshot.startswith("data:image/png;base64,iVBOR")
    assert len(full.screenshot) > len(one.screenshot)
    assert two.screenshot.startswith("data:image/jpeg;base64,/9j/")
    assert batch.data[0].screenshot == one.screenshot


async def test_a_schema_that_refers_to_itself_is_refused(with_model, web):
    schema = {"$ref": "#/$defs/A", "$defs": {"A": {"properties": {
        name: {"$ref": "#/$defs/A"} for name in "abc"}}}}  # fmt: skip
    formats = [{"type": "json", "schema": schema}]
    reply = await post(with_model, "/v2/scrape", url=f"{web.upstream.url}/p/sleep", formats=formats)
    assert (reply.status_code, "refers to itself" in reply.json()["error"]) == (400, True)


async def test_a_long_timeout_is_cut_and_not_refused(server, web):
    """Open WebUI asks for two minutes."""
    url = f"{web.upstream.url}/p/sleep"
    page = await run(v2(server).scrape, url, formats=["markdown"], timeout=120_000)
    assert "hold hands" in page.markdown


async def test_a_page_that_is_not_there_is_an_error(server, web):
    with pytest.raises(Exception, match="404"):
        await run(v1(server).scrape_url, f"{web.upstream.url}/p/missing")


# --- search


async def test_both_versions_search(server, web):
    one = await run(v1(server).search, "How do otters sleep?", limit=3)
    two = await run(v2(server).search, "How do otters sleep?", limit=3)
    assert one.data[0]["url"] == two.web[0].url == f"{web.upstream.url}/p/sleep"
    assert one.data[0]["title"] == two.web[0].title == "How otters sleep"


async def test_a_search_reads_its_pages_in_the_formats(server, web):
    found = await run(v2(server).search, "How do otters sleep?",
                      scrape_options={"formats": ["markdown", "rawHtml", "links"]})  # fmt: skip
    (document,) = found.web
    assert "hold hands" in document.markdown
    assert "<article>" in document.raw_html


async def test_a_hit_whose_page_cannot_be_read_says_so(server, web):
    from kensaku import Hit

    web.finds("ghost", Hit(f"{web.upstream.url}/p/ghost", "Gone", "x"))
    reply = await post(
        server, "/firecrawl/v1/search", query="ghost", scrapeOptions={"formats": ["html"]}
    )
    (row,) = reply.json()["data"]
    assert "404" in row["metadata"]["error"]


# --- map


async def test_both_versions_map_a_site(server, site):
    one = await run(v1(server).map_url, site, include_subdomains=False)
    two = await run(v2(server).map, site, limit=2, search="kelp")
    assert set(one.links) == {site, f"{site}otters", f"{site}kelp"}
    assert [link.url for link in two.links] == [site, f"{site}kelp"]
    assert (await run(v2(server).map, site)).links[0].title == "Start"


async def test_a_map_of_the_sitemap_alone(server, site, upstream):
    upstream.serves("/sitemap.xml", f"<urlset><url><loc>{site}hidden</loc></url></urlset>")
    only = await run(v2(server).map, site, sitemap="only")
    skipped = await run(v2(server).map, site, sitemap="skip")
    assert f"{site}otters" not in {link.url for link in only.links}
    assert f"{site}hidden" in {link.url for link in only.links}
    assert f"{site}hidden" not in {link.url for link in skipped.links}


# --- jobs


async def test_both_versions_crawl_a_site(server, site):
    """The clients wait until the job is done, and put its pages together."""
    one = await run(v1(server).crawl_url, site, limit=10, poll_interval=1)
    two = await run(v2(server).crawl, site, limit=10, poll_interval=1,
                    scrape_options={"formats": ["markdown", "rawHtml"]})  # fmt: skip

    assert (one.status, two.status) == ("completed", "completed")
    pages = {site, f"{site}otters", f"{site}kelp"}
    assert {d.metadata["sourceURL"] for d in one.data} == pages
    assert {d.metadata.source_url for d in two.data} == pages
    assert (one.completed, two.total) == (3, 3)
    assert all("Sea otters hold hands" in d.markdown for d in one.data)
    assert all("<title>" in d.raw_html for d in two.data)


async def test_a_crawl_stays_below_its_first_page(server, upstream):
    links = "<a href='/docs/a'>a</a> <a href='/other'>o</a>"
    start = upstream.serves("/docs", f"<title>D</title><main><p>Docs. {links}</p></main>")
    upstream.serves("/docs/a", "<title>A</title><main><p>A page.</p></main>")
    upstream.serves("/other", "<title>O</title><main><p>Another.</p></main>")

    below = await run(v2(server).crawl, start, sitemap="skip", poll_interval=1)
    whole = await run(v2(server).crawl, start, sitemap="skip", crawl_entire_domain=True,
                      poll_interval=1)  # fmt: skip

    assert {d.metadata.title for d in below.data} == {"D", "A"}
    assert {d.metadata.title for d in whole.data} == {"D", "A", "O"}


async def test_a_batch_has_documents_and_errors(server, web):
    """And a page that fails does not stop the others."""
    urls = [f"{web.upstream.url}/p/{name}" for name in ("sleep", "food", "missing")]

    one = await run(v1(server).batch_scrape_urls, urls, formats=["markdown"], poll_interval=1)
    two = await run(v2(server).batch_scrape, urls, formats=["html"], poll_interval=1)
    begun = await run(v2(server).start_batch_scrape, urls[2:])
    await _wait(server, begun.id)
    failed = await run(v2(server).get_batch_scrape_errors, begun.id)

    assert sorted(d.metadata["title"] for d in one.data) == ["How otters sleep", "What otters eat"]
    assert any("<p>Sea otters eat" in d.html for d in two.data)
    assert [error.url for error in failed.errors] == urls[2:]
    assert "404" in failed.errors[0].error


async def test_documents_come_some_at_a_time(server, web):
    urls = [f"{web.upstream.url}/p/{name}" for name in ("sleep", "food", "rakko")]
    begun = (await post(server, "/firecrawl/v1/batch/scrape", urls=urls)).json()
    await _wait(server, begun["id"])

    seen, at = [], f"{begun['url']}?limit=2"
    async with httpx.AsyncClient() as http:
        while at:
            reply = (await http.get(at)).json()
            seen.append([row["metadata"]["sourceURL"] for row in reply["data"]])
            at = reply.get("next")
    assert seen == [urls[:2], urls[2:]]


async def test_a_job_is_found_by_another_server_of_the_same_database(server, web, make_server):
    begun = await run(v2(server).start_batch_scrape, [f"{web.upstream.url}/p/sleep"])
    await _wait(server, begun.id)
    other = await make_server(**READS)
    found = await run(v2(other).get_batch_scrape_status, begun.id)
    assert (found.status, len(found.data)) == ("completed", 1)


async def test_a_job_is_cancelled_once(server, web):
    urls = [f"{web.upstream.url}/p/sleep"]
    begun = await run(v2(server).start_batch_scrape, urls)
    await _wait(server, begun.id)
    async with httpx.AsyncClient(base_url=server.url) as http:
        reply = await http.delete(f"/v2/batch/scrape/{begun.id}")
    assert (reply.status_code, reply.json()["success"]) == (409, False)


async def test_a_crawl_that_runs_can_be_cancelled(server):
    """Its first page never comes."""
    asked, over = asyncio.Event(), asyncio.Event()

    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.set()
        await over.wait()
        writer.close()

    async with await asyncio.start_server(silent, "127.0.0.1", 0) as slow:
        url = f"http://127.0.0.1:{slow.sockets[0].getsockname()[1]}/"
        begun = await run(v2(server).start_crawl, url, sitemap="skip")
        await asked.wait()
        cancelled = await run(v2(server).cancel_crawl, begun.id)
        status = (await run(v2(server).get_crawl_status, begun.id)).status
        over.set()
    assert (cancelled, status) == (True, "cancelled")


async def test_another_tenant_finds_nothing(server, web, make_key):
    ours = await make_key(server, "ours", tenant="a")
    theirs = await make_key(server, "theirs", tenant="b")
    begun = await run(v2(server, ours).start_crawl, f"{web.upstream.url}/p/sleep")
    async with httpx.AsyncClient(base_url=server.url) as http:
        for method, path in (("GET", ""), ("GET", "/errors"), ("DELETE", "")):
            at = f"/firecrawl/v2/crawl/{begun.id}{path}"
            reply = await http.request(method, at, headers={"Authorization": f"Bearer {theirs}"})
            assert (reply.status_code, reply.json()["success"]) == (404, False)
        own = await http.get(f"/v2/crawl/{begun.id}", headers={"Authorization": f"Bearer {ours}"})
    assert own.status_code == 200


async def test_a_crawl_counts_against_the_key(server, site, make_key):
    key = await make_key(server, "small", searches_per_day=10)
    head = {"Authorization": f"Bearer {key}"}
    async with httpx.AsyncClient(base_url=server.url, headers=head) as http:
        reply = await http.post("/v2/crawl", json={"url": site, "limit": 110})
    assert (reply.status_code, reply.json()["success"]) == (402, False)


async def test_values_are_extracted_from_pages(with_model, web, model):
    model.says("Take", {"animal": "sea otter", "share": 25})
    urls = [f"{web.upstream.url}/p/food", f"{web.upstream.url}/p/sleep"]

    one = await run(v1(with_model).extract, urls, prompt="What eats how much?", schema=SCHEMA)
    two = await run(v2(with_model).extract, urls, prompt="What eats how much?", schema=SCHEMA,
                    poll_interval=1)  # fmt: skip

    assert one.data == two.data == {"animal": "sea otter", "share": 25}
    _, asked = model.asked("Take")[-1]
    assert "25 % of their weight" in asked
    assert "hold hands" in asked


JOBS: list[tuple[str, dict[str, Any], str]] = [
    ("extract", {"urls": ["https://a.example/"], "prompt": "x"}, "KENSAKU_MODEL"),
    ("extract", {"urls": ["https://a.example/*"], "prompt": "x"}, "many pages"),
    ("extract", {"urls": ["https://a.example/"]}, "schema or a prompt"),
    ("extract", {"prompt": "x"}, "urls are missing"),
    ("batch/scrape", {"urls": []}, "urls are missing"),
    ("batch/scrape", {"urls": ["https://a.example/"], "formats": ["pdf"]}, "pdf"),
    ("crawl", {"url": "https://a.example/", "webhook": "https://b.example/"}, "webhook"),
    ("crawl", {"url": "https://a.example/", "includePaths": ["(?=x)"]}, "RE2"),
    ("crawl", {}, "url is missing"),
    ("scrape", {"url": "https://a.example/", "actions": [{"type": "wait"}]}, "actions"),
]


async def test_what_cannot_be_done_is_refused_at_once(server):
    """Without its actions, a page would be another one."""
    for path, body, says in JOBS:
        reply = await post(server, f"/firecrawl/v2/{path}", **body)
        assert (reply.status_code, reply.json()["success"]) == (400, False), body
        assert says in reply.json()["error"]


async def _wait(server: Running, id: str) -> None:
    await (await server.state.jobs()).wait(id)


# --- shapes

# Keys of Firecrawl's own replies of version 2, as others captured them in 2026
# (github.com/us/crw, conformance/fixtures). Not those of its cloud: cacheState, indexId, …
DOCUMENT = {"title", "sourceURL", "url", "statusCode", "contentType", "scrapeId", "proxyUsed",
            "creditsUsed"}  # fmt: skip
STATUS = {"success", "status", "total", "completed", "creditsUsed", "expiresAt", "next", "data"}


async def test_replies_have_the_keys_that_firecrawls_have(server, web, upstream):
    """A program reads them without asking whether they are there; `url` is where a redirect led."""
    url = f"{web.upstream.url}/p/sleep"
    scraped = (await post(server, "/v2/scrape", url=url)).json()["data"]
    assert scraped["metadata"].keys() >= DOCUMENT
    assert scraped["metadata"]["url"] == scraped["metadata"]["sourceURL"] == url

    found = (await post(server, "/v2/search", query="How do otters sleep?")).json()
    assert found.keys() >= {"success", "data", "creditsUsed", "id"}
    assert found["data"]["web"][0].keys() >= {"url", "title", "description", "snippet", "position"}

    begun = (await post(server, "/v2/batch/scrape", urls=[url])).json()
    assert begun.keys() >= {"success", "id", "url"}
    async with httpx.AsyncClient(timeout=30) as http:
        reply = (await http.get(begun["url"])).json()
    assert reply.keys() >= STATUS
    done = await run(v2(server).batch_scrape, [url], poll_interval=1)
    assert done.data[0].metadata.model_dump(by_alias=True).keys() >= {"scrape_id", "source_url"}
    assert done.data[0].metadata.scrape_id
