"""A small bot with strands-agents: it decides whether to answer, and searches while it answers.

    cp examples/slack_bot/config.yaml.example config.yaml
    export TAVILY_API_KEY=… OPENAI_API_KEY=…
    python examples/slack_bot config.yaml "Pythonの非同期プログラミングについて検索して"

The factory is made once, when the program starts. Only the agent that writes the response gets the
tool; the one that judges whether to respond does not know that it exists.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sys

from strands import Agent
from strands.models.openai import OpenAIModel

from kensaku.compat.slack_bot import WebSearchToolsFactory, load_web_search_config
from kensaku.compat.tavily_tools.client import close_clients


class ResponseJudgment:
    """Whether the message wants a response."""

    def __init__(self, model: OpenAIModel) -> None:
        self._model = model

    async def wants_response(self, message: str) -> bool:
        agent = Agent(model=self._model, callback_handler=None, system_prompt="Answer yes or no.")
        said = await agent.invoke_async(f"Does this message want a response?\n\n{message}")
        return not str(said).lower().startswith("no")


class ResponseGenerator:
    """Writes the response, with the web at hand."""

    def __init__(self, model: OpenAIModel, web_search: WebSearchToolsFactory) -> None:
        self._model = model
        self._web_search = web_search

    async def respond(self, message: str) -> str:
        agent = Agent(model=self._model, tools=self._web_search.tools, callback_handler=None)
        state = self._web_search.get_invocation_state()
        return str(await agent.invoke_async(message, invocation_state=state)).strip()


async def main(config: str, message: str) -> None:
    model = OpenAIModel(
        client_args={"base_url": os.environ.get("OPENAI_BASE_URL")},
        model_id=os.environ.get("OPENAI_MODEL", "gpt-5-mini"),
    )
    web_search = WebSearchToolsFactory(load_web_search_config(config))
    if await ResponseJudgment(model).wants_response(message):
        print(await ResponseGenerator(model, web_search).respond(message))
    await close_clients()


if __name__ == "__main__":
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    logging.getLogger("kensaku").setLevel(logging.INFO)
    asyncio.run(main(*sys.argv[1:3]))
