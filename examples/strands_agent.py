"""Strands Agents with web search.

    pip install "kensaku-search[strands]" openai
    OPENAI_API_KEY=… python examples/strands_agent.py "When was Python 3.14 released?"

`OPENAI_MODEL` and `OPENAI_BASE_URL` choose another model; see kensaku's README for search keys.
"""

import os
import sys

from strands import Agent
from strands.models.openai import OpenAIModel

import kensaku


def main(question: str) -> None:
    model = OpenAIModel(
        client_args={"base_url": os.environ.get("OPENAI_BASE_URL")},
        model_id=os.environ.get("OPENAI_MODEL", "gpt-5-mini"),
    )
    agent = Agent(model=model, tools=kensaku.tools_for("strands"), callback_handler=None)
    print(agent(question))


if __name__ == "__main__":
    main(" ".join(sys.argv[1:]) or "When was Python 3.14 released?")
