"""AG-UI at /agent: the protocol's own client, which checks the order of all events."""

from __future__ import annotations

import asyncio
import json
import shutil
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlalchemy import update

from kensaku.database.conversations import Sender
from kensaku.database.people import list_decisions
from kensaku.database.tables import RUNS
from kensaku.testing import FakeUpstream, faults
from tests.answers.conftest import Web
from tests.search.support import until

from .conftest import READS, MakeServer, Running
from .test_node_clients import HERE
from .test_node_clients import packages as packages
from .test_openai import SLEEP

YES = {"resume": {"action": "proceed"}}
THREAD = Sender("agui", "", "t1", "")


@pytest.fixture
async def server(make_server: MakeServer, web: Web) -> Running:
    """A server over a small web."""
    made: Running = await make_server(**READS)
    return made


@pytest.fixture
async def asking(make_server: MakeServer, web: Web) -> Running:
    """A server whose searches need consent."""
    made: Running = await make_server(assistant_approvals=("web_search=ask",), **READS)
    return made


async def converse(packages: Path, server: Running, *script: Any, key: str = "") -> Any:
    """Hold a conversation by the official client; return its runs and its messages."""
    program = shutil.copy(HERE / "agent.mjs", packages)  # it imports from where it is
    process = await asyncio.create_subprocess_exec(
        "node", program, f"{server.url}/agent", key or server.state.token, json.dumps(script),
        stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    said, _ = await asyncio.wait_for(process.communicate(), 120)
    return json.loads(said)


def body(said: str = SLEEP, run: str = "r1", thread: str = "t1", **more: Any) -> dict[str, Any]:
    """A request of the protocol."""
    messages = [{"id": "m1", "role": "user", "content": said}]
    return {"threadId": thread, "runId": run, "messages": messages, **more}


async def post(server: Running, sent: Any, key: str = "") -> tuple[int, list[dict[str, Any]]]:
    """Send a request; return the status and the events."""
    headers = {"Authorization": f"Bearer {key}"} if key else server.owner
    async with httpx.AsyncClient(timeout=60) as http:
        got = await http.post(f"{server.url}/agent", json=sent, headers=headers)
    is_stream = got.headers["content-type"].startswith("text/event-stream")
    assert is_stream is (got.status_code == 200)
    if got.status_code != 200:
        return got.status_code, [got.json()]
    lines = [line for line in got.text.splitlines() if line.startswith("data: ")]
    return 200, [json.loads(line[6:]) for line in lines]


async def skip_all(server: Running, sent: dict[str, Any]) -> tuple[list[str], dict[str, Any]]:
    """Skip every question of a run; return why it was interrupted, and its last event."""
    reasons, run = [], sent["runId"]
    _, events = await post(server, sent)
    while events[-1].get("outcome", {}).get("type") == "interrupt":
        (asked,) = events[-1]["outcome"]["interrupts"]
        reasons.append(asked["reason"])
        skip = {"interruptId": asked["id"], "status": "resolved", "payload": {"action": "skip"}}
        _, events = await post(server, sent | {"runId": f"{run}-{len(reasons)}", "resume": [skip]})
    return reasons, events[-1]


@pytest.mark.usefixtures("processes")
async def test_the_official_client_gets_an_answer(
    packages: Path, server: Running, web: Web
) -> None:
    """Its messages have the tool's call and result, and the cited text; a follow-up works."""
    done = await converse(
        packages, server, "How much do sea otters eat each day?", "And how do they sleep?"
    )

    first, second = done["runs"]
    assert (first["error"], second["error"]) == (None, None)
    kinds = [e["type"] for e in first["events"]]
    assert kinds[0] == "RUN_STARTED"
    assert kinds[1] == "CUSTOM"
    assert "TOOL_CALL_RESULT" in kinds
    assert kinds[-1] == "RUN_FINISHED"
    last = first["events"][-1]
    assert last["outcome"] == {"type": "success"}
    assert last["result"]["citations"][0]["title"] == "What otters eat"
    texts = [
        m["content"] for m in done["messages"] if m["role"] == "assistant" and m.get("content")
    ]
    assert texts[0].startswith("Sea otters eat up to 25 % of their weight each day. [1]")
    assert texts[1].startswith("Sea otters hold hands while they sleep. [1]")
    assert "otters" in web.queries[1]  # the topic of the question before
    assert "sleep" in web.queries[1]
    tools = [m for m in done["messages"] if m["role"] == "tool"]
    assert json.loads(tools[0]["content"])["outcome"] == "found"


@pytest.mark.usefixtures("processes")
async def test_consent_is_an_interrupt_that_the_next_run_answers(
    packages: Path, asking: Running, web: Web
) -> None:
    """Nothing is searched before; the decision is recorded without the query."""
    done = await converse(packages, asking, SLEEP, YES)

    first, second = done["runs"]
    (interrupt,) = first["interrupts"]
    assert interrupt["reason"] == "kensaku.approve"
    assert interrupt["message"] == f"May web_search run?\n\nweb_search: {SLEEP}"
    assert interrupt["responseSchema"]["properties"]["action"]["enum"][0] == "proceed"
    assert [e["type"] for e in first["events"]].count("TOOL_CALL_START") == 0
    assert second["error"] is None
    assert second["interrupts"] == []
    assert second["events"][-1]["result"]["outcome"] == "found"
    assert web.queries == [SLEEP]
    trail = await list_decisions(asking.state.database, "", "agui", "")
    assert ("approve", "proceed") in {(d["kind"], d["decision"]) for d in trail}
    assert "otters" not in str(trail)


@pytest.mark.usefixtures("processes")
async def test_an_interrupt_can_be_refused(packages: Path, asking: Running, web: Web) -> None:
    """The run ends as cancelled, or goes on without the tool and asks for other words."""
    done = await converse(packages, asking, SLEEP, {"cancel": True}, SLEEP, {"resume": "skip"})

    outcomes = [r["events"][-1]["outcome"]["type"] for r in done["runs"]]
    assert outcomes == ["interrupt", "cancelled", "interrupt", "interrupt"]
    reasons, last = await skip_all(asking, body("What do sea otters eat?", "r9", "t9"))
    assert reasons[0] == "kensaku.approve"
    assert reasons[-1] == "kensaku.help"
    assert (last["type"], last["code"]) == ("RUN_ERROR", "unavailable")
    assert web.queries == []


async def test_a_killed_server_goes_on_with_the_interrupt(
    asking: Running, make_server: MakeServer, web: Web
) -> None:
    """The next process finds the run in the database, and sends no event of it twice."""
    _, events = await post(asking, body())
    (interrupt,) = events[-1]["outcome"]["interrupts"]
    await asking.state.assistant.close()
    long_ago = datetime(2020, 1, 1, tzinfo=UTC)
    async with asking.state.database.write() as connection:
        await connection.execute(update(RUNS).values(lease=long_ago))

    second = await make_server(assistant_approvals=("web_search=ask",), **READS)
    answer = {"interruptId": interrupt["id"], "status": "resolved", "payload": {"approved": True}}
    _, events = await post(second, body(run="r2", resume=[answer]))

    assert events[-1]["result"]["outcome"] == "found"
    assert "CUSTOM" not in [e["type"] for e in events]  # the plan
    assert web.queries == [SLEEP]


async def test_the_run_after_an_interrupt_goes_on_behind_what_was_seen(
    asking: Running, web: Web
) -> None:
    """It answers in its own name, and sends no event twice."""
    _, first = await post(asking, body())
    (interrupt,) = first[-1]["outcome"]["interrupts"]
    yes = {"interruptId": interrupt["id"], "status": "resolved", "payload": True}
    _, second = await post(asking, body(run="r2", resume=[yes]))

    assert [e["type"] for e in first] == ["RUN_STARTED", "CUSTOM", "RUN_FINISHED"]
    assert (second[0]["type"], second[0]["runId"]) == ("RUN_STARTED", "r2")
    kinds = [e["type"] for e in second]
    assert "CUSTOM" not in kinds  # the plan
    assert kinds.count("TOOL_CALL_START") == kinds.count("TOOL_CALL_RESULT") == 1
    assert second[-1]["outcome"] == {"type": "success"}


async def test_an_interrupt_that_is_cancelled_ends_the_run(asking: Running, web: Web) -> None:
    """Nothing was searched, and nothing waits any more."""
    _, events = await post(asking, body())
    (interrupt,) = events[-1]["outcome"]["interrupts"]
    no = {"interruptId": interrupt["id"], "status": "cancelled"}
    _, events = await post(asking, body(run="r2", resume=[no]))

    assert events[-1]["outcome"] == {"type": "cancelled"}
    assert (await post(asking, body(run="r3", resume=[no])))[0] == 409
    assert web.queries == []


async def test_a_run_that_is_stopped_elsewhere_ends_as_cancelled(
    server: Running, upstream: FakeUpstream
) -> None:
    """By the person, or an operator: it is no error."""
    upstream.heals("tavily")
    upstream.fails("tavily", faults.hang())
    async with (
        httpx.AsyncClient(timeout=60) as http,
        http.stream("POST", f"{server.url}/agent", json=body(), headers=server.owner) as got,
    ):
        lines = got.aiter_lines()
        while "TOOL_CALL_END" not in await anext(lines):
            pass
        running = server.state.assistant.current(THREAD)
        assert running is not None
        running.cancel()
        rest = [json.loads(line[6:]) async for line in lines if line]

    assert rest[-1]["outcome"] == {"type": "cancelled"}


async def test_nobody_could_search_is_an_error(server: Running, upstream: FakeUpstream) -> None:
    """Nothing found is an answer."""
    _, nothing = await skip_all(server, body("Who painted the Mona Lisa?"))
    assert nothing["result"]["outcome"] == "empty"

    upstream.fails("tavily", faults.status(400))
    _, failed = await skip_all(server, body("Who painted the Milkmaid?", "r9", "t9"))
    assert (failed["type"], failed["code"]) == ("RUN_ERROR", "unavailable")


async def test_what_is_wrong_is_refused(server: Running) -> None:
    """Before a stream begins."""
    image = {"type": "image", "source": {"type": "url", "value": "https://a.example/o.png"}}
    wrong: list[tuple[dict[str, Any], str]] = [
        ({}, "threadId"),
        (body(run="r" * 201), "runId must have 1 to 200 characters"),
        (body(thread=""), "threadId must have 1 to 200 characters"),
        (body() | {"messages": [{"id": "1", "role": "pirate", "content": "x"}]}, "messages"),
        (body() | {"messages": body()["messages"] * 1_001}, "over 1,000 entries"),
        (body() | {"messages": []}, "the role 'user'"),
        (body() | {"messages": [{"id": "1", "role": "user", "content": [image]}]}, "must be text"),
        (body(" "), "empty"),
        (body("x" * 4_001), "4,000"),
    ]
    for sent, says in wrong:
        status, (error,) = await post(server, sent)

        assert status == 400
        assert says in error["error"]["message"], sent


async def test_a_message_answers_the_question_that_a_run_waits_with(
    asking: Running, web: Web
) -> None:
    """For front ends without interrupts."""
    await post(asking, body())
    _, events = await post(asking, body("yes", "r2"))

    assert events[-1]["result"]["outcome"] == "found"
    assert web.queries == [SLEEP]


async def test_keys_hold_and_a_thread_belongs_to_its_key(
    asking: Running, make_key: Any, web: Web
) -> None:
    """Nobody answers for another, and the same run is not made twice."""
    ann, ben = await make_key(asking, "ann"), await make_key(asking, "ben")
    assert (await post(asking, body(), "wrong"))[0] == 401
    _, events = await post(asking, body(), ann)
    (interrupt,) = events[-1]["outcome"]["interrupts"]
    yes = {"interruptId": interrupt["id"], "status": "resolved", "payload": True}

    assert (await post(asking, body(run="r2", resume=[yes]), ben))[0] == 409
    assert web.queries == []
    _, events = await post(asking, body(run="r2", resume=[yes]), ann)
    assert events[-1]["result"]["outcome"] == "found"
    assert (await post(asking, body(run="r3", resume=[yes]), ann))[0] == 409
    assert (await post(asking, body(run="r1"), ann))[0] == 409


async def test_a_client_that_hangs_up_ends_the_run(
    make_server: MakeServer, web: Web, upstream: FakeUpstream
) -> None:
    """Nobody could follow the rest: it does not go on until the search ends by itself."""
    server = await make_server(timeout=90, **READS)
    upstream.heals("tavily")
    upstream.fails("tavily", faults.hang())
    async with (
        httpx.AsyncClient(timeout=60) as http,
        http.stream("POST", f"{server.url}/agent", json=body(), headers=server.owner) as got,
    ):
        lines = got.aiter_lines()
        while "TOOL_CALL_END" not in await anext(lines):
            pass
    assistant = server.state.assistant
    await until(lambda: not server.state.admission.running and assistant.current(THREAD) is None)
    assert await server.state.assistant.resume("agui") == []


@pytest.mark.usefixtures("processes")
async def test_pydantic_ai_writes_the_history_and_reads_what_comes_back(
    packages: Path, server: Running, web: Web
) -> None:
    """S2: its adapter's messages are taken, its types read every event, its loader every message."""
    from ag_ui.core import Event, Message
    from pydantic import TypeAdapter
    from pydantic_ai.messages import (
        ModelRequest,
        ModelResponse,
        TextPart,
        ToolCallPart,
        ToolReturnPart,
        UserPromptPart,
    )
    from pydantic_ai.ui.ag_ui import AGUIAdapter

    history = [
        ModelRequest([UserPromptPart(SLEEP)]),
        ModelResponse([ToolCallPart("web_search", {"query": SLEEP}, "c1")]),
        ModelRequest([ToolReturnPart("web_search", "Otters hold hands.", "c1")]),
        ModelResponse([TextPart("Sea otters hold hands while they sleep.")]),
        ModelRequest([UserPromptPart("And what do they eat each day?")]),
    ]
    messages = [m.model_dump(by_alias=True) for m in AGUIAdapter.dump_messages(history)]

    _, events = await post(server, body() | {"messages": messages})
    done = await converse(packages, server, SLEEP)

    kinds = [type(TypeAdapter(Event).validate_python(e)).__name__ for e in events]
    assert (kinds[0], kinds[-1]) == ("RunStartedEvent", "RunFinishedEvent")
    assert "otters" in web.queries[0]  # the topic of the history
    told = TypeAdapter(list[Message]).validate_python(done["messages"])
    parts = [p for m in AGUIAdapter.load_messages(told) for p in m.parts]
    assert [type(p).__name__ for p in parts] == [
        "UserPromptPart", "ToolCallPart", "ToolReturnPart", "TextPart"
    ]  # fmt: skip
