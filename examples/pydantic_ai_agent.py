"""Pydantic AI with web search.

    pip install "kensaku-search[pydantic-ai]" "pydantic-ai-slim[openai]"
    OPENAI_API_KEY=… python examples/pydantic_ai_agent.py "When was Python 3.14 released?"

`OPENAI_MODEL` and `OPENAI_BASE_URL` choose another model; see kensaku's README for search keys.
"""

import os
import sys

from pydantic_ai import Agent
from pydantic_ai.models.openai import OpenAIChatModel

import kensaku


def main(question: str) -> None:
    model = OpenAIChatModel(os.environ.get("OPENAI_MODEL", "gpt-5-mini"))
    agent = Agent(model, tools=kensaku.tools_for("pydantic-ai"))
    print(agent.run_sync(question).output)


if __name__ == "__main__":
    main(" ".join(sys.argv[1:]) or "When was Python 3.14 released?")
