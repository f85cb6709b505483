"""LiteLLM has no agents: a loop with plain schemas, as anybody would write it."""

from __future__ import annotations

from typing import Any

import litellm

from kensaku.adapters.schemas import for_litellm, run_litellm
from kensaku.tools import BaseTool

from ..model_server import ModelServer
from ..parity import READERS

DISTRIBUTION = "litellm"
words, call = READERS["litellm"].words, READERS["litellm"].call


async def ask(tool: BaseTool, model: ModelServer) -> str:
    messages: list[Any] = [{"role": "user", "content": "Do otters sleep?"}]
    for _ in range(3):
        reply = await litellm.acompletion(
            model="openai/scripted", api_base=model.openai_url, api_key="none",
            messages=messages, tools=[for_litellm(tool)],
        )  # fmt: skip
        if not (answers := await run_litellm(reply, [tool])):
            break
        messages += [reply.choices[0].message.model_dump(), *answers]
    return str(reply.choices[0].message.content)
