"""DSPy: the assistant and the gateway as its language model, and an agent with MCP tools."""

from __future__ import annotations

from tests.programs.program import FACT, Place, Program

PROGRAM = Program(
    "dspy",
    title="DSPy",
    package="dspy",
    gateway=True,
    way='`LM("openai/kensaku", api_base="…/v1")`; `LM("openai/MODEL", model_type="responses", '
    'tools=[{"type": "web_search"}])`; tools from `…/mcp`',
)
QUESTION = "When was Python 3.14 released?"
ANSWER = "[[ ## answer ## ]]\n2025-10-07\n\n[[ ## completed ## ]]"


@PROGRAM.check("the assistant")
def assistant(place: Place) -> None:
    import dspy

    place.model.script({"says": f"{FACT} [1]."})
    lm = dspy.LM("openai/kensaku", api_base=place.url + "/v1", api_key=place.key, cache=False)
    assert "2025-10-07" in str(lm(QUESTION))


@PROGRAM.check("Predict through the gateway")
def predict(place: Place) -> None:
    import dspy

    place.model.script({"says": ANSWER})
    lm = dspy.LM("openai/scripted", api_base=place.url + "/v1", api_key=place.key, cache=False)
    with dspy.context(lm=lm):
        assert dspy.Predict("question -> answer")(question=QUESTION).answer == "2025-10-07"
        place.model.script({"says": '{"answer": "2025-10-07"}'})
        with dspy.context(adapter=dspy.JSONAdapter()):
            assert dspy.Predict("question -> answer")(question=QUESTION).answer == "2025-10-07"


@PROGRAM.check("Responses with web_search")
def responses(place: Place) -> None:
    import dspy

    lm = dspy.LM(
        "openai/scripted", api_base=place.url + "/v1", api_key=place.key, cache=False,
        model_type="responses", tools=[{"type": "web_search"}],
    )  # fmt: skip
    said = lm(QUESTION)
    assert FACT in str(said), said


@PROGRAM.check("ReAct with MCP tools")
async def react(place: Place) -> None:
    import dspy
    import httpx
    from mcp import ClientSession
    from mcp.client.streamable_http import streamable_http_client

    call = (
        "[[ ## next_thought ## ]]\nI search.\n\n[[ ## next_tool_name ## ]]\nweb_search\n\n"
        '[[ ## next_tool_args ## ]]\n{"query": "python 3.14 release date"}\n\n[[ ## completed ## ]]'
    )
    end = call.replace("\nweb_search\n", "\nfinish\n").replace("release date", "")
    answer = "[[ ## reasoning ## ]]\nIt says so.\n\n" + ANSWER
    place.model.script(
        {"when": "next_tool_name", "says": call, "times": 1},
        {"when": "next_tool_name", "says": end.replace('{"query": "python 3.14 "}', "{}")},
        {"says": answer},
    )
    lm = dspy.LM("openai/scripted", api_base=place.model_url + "/v1", api_key="none", cache=False)
    head = httpx.AsyncClient(headers={"Authorization": f"Bearer {place.key}"})
    async with (
        head,
        streamable_http_client(place.url + "/mcp", http_client=head) as (read, write, *_),
        ClientSession(read, write) as session,
    ):
        await session.initialize()
        tools = [dspy.Tool.from_mcp_tool(session, t) for t in (await session.list_tools()).tools]
        with dspy.context(lm=lm):
            said = await dspy.ReAct("question -> answer", tools=tools).acall(question=QUESTION)
    assert said.answer == "2025-10-07"
    assert FACT in str(said.trajectory)
