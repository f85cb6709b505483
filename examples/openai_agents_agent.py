"""OpenAI Agents SDK with web search.

    pip install "kensaku-search[openai-agents]"
    OPENAI_API_KEY=… python examples/openai_agents_agent.py "When was Python 3.14 released?"

`OPENAI_MODEL` and `OPENAI_BASE_URL` choose another model; see kensaku's README for search keys.
"""

import os
import sys

from agents import Agent, Runner

import kensaku


def main(question: str) -> None:
    agent = Agent(
        name="researcher",
        model=os.environ.get("OPENAI_MODEL", "gpt-5-mini"),
        tools=kensaku.tools_for("openai-agents"),
    )
    print(Runner.run_sync(agent, question).final_output)


if __name__ == "__main__":
    main(" ".join(sys.argv[1:]) or "When was Python 3.14 released?")
