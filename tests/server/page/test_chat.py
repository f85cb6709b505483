"""The web channel by requests alone: events, tenancy, forms without scripts, export, restart."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from kensaku.database.conversations import list_conversations
from kensaku.models import Hit
from kensaku.testing import faults
from tests.japanese import is_japanese
from tests.server.page_client import PageClient, browsing
from tests.server.talk import FOUND, QUESTION, asked, follow, to_end


@pytest.fixture
async def server(make_server, upstream) -> Any:
    """A server whose searches find two pages in Japanese."""
    upstream.answers("tavily", FOUND)
    return await make_server(
        "tavily", fetch_allow=("127.0.0.1",), fetch_ports="any", fetch_robots="never"
    )


async def test_a_question_is_answered_in_events_with_sources(page):
    """Typed events for programs, parts of the page for the page."""
    begun = await page.call("POST", "/api/chat", {"text": QUESTION})
    events = await to_end(page, begun["id"])
    talk = await page.call("GET", f"/api/chat/{begun['id']}")
    html = await page.get(f"/chat/{begun['id']}")

    kinds = [data["event"]["type"] for name, data in events if name == "event"]
    assert kinds[0] == "Planned"
    assert kinds[-1] == "Answered"
    shown = {data["event"]["type"]: str(data) for name, data in events if name == "event"}
    assert 'class="step accent busy"' in shown["ToolStarted"]
    assert 'class="step ok"' in shown["ToolEnded"]
    assert "tavily · 2 results · " in shown["ToolEnded"]
    assert f">{FOUND[1].title}</a> <span>b.example</span>" in shown["ToolEnded"]
    assert '<span class="cite">1</span>' in shown["TextDelta"]  # its passage is not known yet
    answer = talk["messages"][1]["answer"]
    assert "asyncio" in answer["answer"]
    assert answer["citations"][0]["url"] == "https://docs.example/asyncio"
    assert 'class="cite" href="#c-' in html
    assert "web_search" in html
    assert "tavily" in html
    assert [name for name, _ in events][-2:] == ["turn", "end"]


async def test_a_stream_goes_on_behind_the_last_event(page):
    """With the id that a browser sends again; a run that has ended is sent as a whole."""
    begun = await page.call("POST", "/api/chat", {"text": QUESTION, "ask_first": True})
    first = []
    async for _, data in follow(page, begun["id"]):
        first.append(data)
        if data["event"]["type"] == "ApprovalNeeded":
            asked = data["event"]["question"]["id"]
            break
    again = []
    async for _, data in follow(page, begun["id"], **{"Last-Event-ID": first[-2]["_id"]}):
        again.append(data)
        break
    assert again[0]["_id"] == first[-1]["_id"]
    assert again[0]["event"] == first[-1]["event"]
    assert [id for id, _ in again[0]["asks"]] == [asked]
    said = {"question": asked, "action": "proceed"}
    await page.call("POST", f"/api/chat/{begun['id']}/reply", said)
    rest = await to_end(page, begun["id"], **{"Last-Event-ID": first[-1]["_id"]})
    later = await page.get(f"/api/chat/{begun['id']}/events?runs={begun['run']}")

    seen = [data["_id"] for name, data in rest if name == "event"]
    assert first[-1]["_id"] not in seen
    assert rest[-1][0] == "end"
    assert later.count("event: turn") == 1


async def test_nobody_sees_the_conversation_of_another(server, make_key):
    """Neither another tenant nor another key of the same tenant, by any address."""
    ann = await make_key(server, "ann", tenant="t1")
    others = [
        await make_key(server, "bob", tenant="t1"),
        await make_key(server, "eve", tenant="t2"),
    ]
    others.append(await make_key(server, "root", admin=True))
    async with browsing(server.url) as page:
        head = {"Authorization": f"Bearer {ann}"}
        begun = await page.call("POST", "/api/chat", {"text": QUESTION, "ask_first": True}, **head)
        path = f"/api/chat/{begun['id']}"
        async with page.http.get(f"{server.url}{path}/events", headers=head) as reply:
            async for line in reply.content:
                if b"ApprovalNeeded" in line:
                    break
        for other in others:
            theirs = {"Authorization": f"Bearer {other}"}
            assert (await page.call("GET", "/api/chat", **theirs)) == {"conversations": []}
            assert QUESTION not in await page.get("/chat", **theirs)
            await page.call("GET", path, **theirs)
            assert page.status == 404
            assert QUESTION not in await page.get(f"/chat/{begun['id']}", **theirs)
            assert page.status == 404
            await page.get(f"/chat/{begun['id']}/export.md", **theirs)
            assert page.status == 404
            assert "error" in await page.get(f"{path}/events", **theirs)
            done = await page.call("POST", f"{path}/cancel", **theirs)
            assert done == {"cancelled": False}
            assert (await page.call("DELETE", path, **theirs))["error"]["type"] == "NoConversation"
        found = await list_conversations(server.state.database, "t1", "web")
        listed = await page.call("GET", "/api/chat", **head)
        assert await page.call("POST", f"{path}/cancel", **head) == {"cancelled": True}

    assert [c.title for c in found] == [QUESTION]
    assert [c["id"] for c in listed["conversations"]] == [begun["id"]]


async def post(page: PageClient, path: str, form: dict[str, str]) -> str:
    """Send a form as a browser without scripts does, and show where it leads."""
    token = (await page.headers())["X-Kensaku-Token"]
    async with page.http.post(
        page.url + path, data={"token": token, **form}, headers={"Origin": page.url}
    ) as reply:
        page.status = reply.status
        return str(reply.url.path) if reply.url.path != path else await reply.text()


async def test_a_conversation_works_without_scripts(page):
    """Ask, be asked, reply, ask on, delete: plain forms. The same form twice is one question."""
    form = {"text": QUESTION, "update": "once", "ask_first": "1", "do": "ask"}
    address = await post(page, "/chat", form)
    thread = address.removeprefix("/chat/")
    await asked(page, thread)
    html = await page.get(address)
    question = re.search(r'name="question" value="(\w+)"', html)
    assert question
    assert 'http-equiv="refresh"' not in html  # a form that is being filled in stays
    reply = {"do": "reply", "question": question[1], "action": "proceed"}
    await post(page, address, {**reply, "text": QUESTION})
    await to_end(page, thread)
    html = await page.get(address)
    await post(page, address, {"text": QUESTION, "update": "once", "do": "ask"})
    talk = await page.call("GET", f"/api/chat/{thread}")
    assert await post(page, address, {"do": "delete"}) == "/chat"

    assert "asyncio" in html
    assert 'class="cite"' in html
    assert [m["role"] for m in talk["messages"]] == ["user", "assistant"]


async def test_why_nobody_could_search_is_said_in_japanese(page, upstream):
    """And what to do about it, though the conversation was stored in English."""
    upstream.fails("tavily", faults.status(401))
    begun = await page.call("POST", "/api/chat", {"text": QUESTION})
    await to_end(page, begun["id"])

    html = await page.get(f"/chat/{begun['id']}", **{"Accept-Language": "ja"})

    (reasons,) = re.findall(r'(?s)<dl class="reasons">.*?</dl>', html)
    said = re.findall(r'<dd>([^<]+)<span class="small">([^<]+)</span></dd>', reasons)
    assert said
    assert all(is_japanese(text) for texts in said for text in texts)


async def test_a_page_that_waits_loads_itself_again(page, upstream):
    """Without scripts there is no other way to see the answer."""
    upstream.heals("tavily")
    upstream.fails("tavily", faults.hang())
    begun = await page.call("POST", "/api/chat", {"text": QUESTION})
    html = await page.get(f"/chat/{begun['id']}")
    await page.call("POST", f"/api/chat/{begun['id']}/cancel")

    assert '<noscript><meta http-equiv="refresh"' in html


async def test_a_conversation_is_exported_for_people_and_programs(server, page, upstream):
    """Markdown with sources whose titles cannot break out; JSON with everything."""
    evil = Hit(FOUND[0].url, "T](https://evil.example) <b>", FOUND[0].content)
    upstream.answers("tavily", [evil])
    begun = await page.call("POST", "/api/chat", {"text": QUESTION})
    await to_end(page, begun["id"])
    async with page.http.get(f"{server.url}/chat/{begun['id']}/export.md") as reply:
        markdown, sent = await reply.text(), reply.headers
    stored = json.loads(await page.get(f"/chat/{begun['id']}/export.json"))
    assert stored == await page.call("GET", f"/api/chat/{begun['id']}")
    await page.get(f"/chat/{begun['id']}/export.exe")
    assert page.status == 404

    name = rf'attachment; filename="kensaku-\d{{4}}-\d\d-\d\d-{begun["id"]}\.md"'
    assert re.fullmatch(name, sent["content-disposition"])
    assert sent["content-type"] == "text/markdown; charset=utf-8"
    assert sent["content-security-policy"].startswith("default-src 'none'")
    assert markdown.startswith(f"# {QUESTION}\n\n## {QUESTION}\n")
    assert f"**Sources**\n\n1. [{evil.url}]({evil.url})\n" in markdown
    assert "asyncio" in markdown
    assert "evil.example" not in markdown
    assert stored["messages"][1]["answer"]["citations"]


async def test_a_restarted_server_goes_on_with_the_run(make_server, make_client, upstream):
    """The question to the person is asked again, and nothing is searched twice."""
    import kensaku.server
    from tests.server.conftest import serve

    upstream.answers("tavily", FOUND)
    client = make_client("tavily")
    first = kensaku.server.app(client.settings, client=client)
    async with serve(first) as url, browsing(url) as page:
        begun = await page.call("POST", "/api/chat", {"text": QUESTION, "ask_first": True})
        question, _ = await asked(page, begun["id"])
    second = kensaku.server.app(client.settings, client=client)
    async with serve(second) as url, browsing(url) as page:
        events = await to_end(page, begun["id"])

    assert question in {id for _, data in events for id, _ in data.get("asks", ())}
    assert events[-1][0] == "end"
    queries = [request.json["query"] for request in upstream.asked("tavily")]
    assert len(set(queries)) == len(queries) >= 1


async def test_wrong_input_is_refused_before_anything_is_kept(page):
    """With a sentence that names the bound."""
    for body in (
        {"text": ""},
        {"text": "x" * 4_001},
        {"text": 7},
        {"text": "x", "route": "nosuch"},
        {"text": "x", "route": ["tavily"]},
        {"text": "x", "collection": "../etc"},
    ):
        said = await page.call("POST", "/api/chat", body)
        assert page.status == 400, body
        assert said["error"]["message"]
    for address in ("/chat/short", "/chat/" + "x" * 16, "/chat/" + "%2e" * 16):
        await page.get(address)
        assert page.status == 404
    assert await page.call("GET", "/api/chat") == {"conversations": []}


async def test_floods_of_one_person_are_bounded(page, upstream):
    """The fifth question of a thread is refused while the first is not answered."""
    upstream.heals("tavily")
    upstream.fails("tavily", faults.hang())
    begun = await page.call("POST", "/api/chat", {"text": QUESTION})
    path = f"/api/chat/{begun['id']}"
    statuses = []
    for _ in range(5):
        await page.call("POST", path, {"text": QUESTION})
        statuses.append(page.status)
    await page.call("DELETE", path)

    assert statuses[0] == 200
    assert statuses[-1] == 429


async def test_a_question_counts_against_the_day_of_the_key(server, make_key):
    """By the form and by the API; looking, and stopping, costs nothing."""
    secret = await make_key(server, "ann", searches_per_day=1)
    async with browsing(server.url) as page:
        await page.sign_in(secret)
        address = await post(page, "/chat", {"text": QUESTION})
        await to_end(page, address.removeprefix("/chat/"))
        for path in ("/chat", address):
            await post(page, path, {"text": QUESTION})
            assert page.status == 432
        await page.call("POST", f"/api{address}", {"text": QUESTION})
        assert page.status == 432
        await page.get(address)
        assert page.status == 200
        assert await page.call("POST", f"/api{address}/cancel") == {"cancelled": False}


async def test_a_key_without_money_left_searches_nothing(server, make_key, upstream):
    """A person on the page is a key: what it may spend, its runs may spend."""
    secret = await make_key(server, "ann", money_per_month=0.01)  # a search is 0.008
    async with browsing(server.url) as page:
        await page.sign_in(secret)
        for n in range(2):
            begun = await page.call("POST", "/api/chat", {"text": f"{QUESTION} {n}"})
            await to_end(page, begun["id"])

    assert len(upstream.asked("tavily")) == 1


async def test_what_was_chosen_is_shown_again(page):
    """In every conversation; the box holds the words of the address, as many as it takes."""
    chosen = {"text": QUESTION, "route": "tavily", "ask_first": "1"}
    address = await post(page, "/chat", chosen)
    html = await page.get(address)
    await page.call("POST", f"/api{address}/cancel")
    new = await page.get("/chat?q=" + "x" * 4_001)

    for shown in (html, new):
        assert '<option value="tavily" selected>' in shown
        assert 'name="ask_first" value="1" checked>' in shown
    assert ">" + "x" * 4_000 + "</textarea>" in new


async def test_the_longest_question_fits_into_a_form(page):
    """4,000 characters of Japanese, percent-encoded."""
    text = "検索" * 2_000
    address = await post(page, "/chat", {"text": text, "ask_first": "1"})
    talk = await page.call("GET", f"/api{address}")
    await page.call("DELETE", f"/api{address}")

    assert talk["messages"][0]["text"] == text


async def test_a_stream_begins_anew_for_who_names_an_event_that_never_was(page):
    """Of another run, or of a number that cannot be; nothing is lost by that."""
    begun = await page.call("POST", "/api/chat", {"text": QUESTION, "ask_first": True})
    run = begun["run"]
    await asked(page, begun["id"])
    firsts = set()
    for sent in ("", "other:1", f"{run}:999", f"{run}:x", f"{run}:-1", run, "x" * 200):
        async for _, data in follow(page, begun["id"], **{"Last-Event-ID": sent}):
            firsts.add(data["_id"])
            break
    await page.call("DELETE", f"/api/chat/{begun['id']}")

    assert firsts == {f"{run}:1"}
