"""LangChain with web search.

    pip install "kensaku-search[langchain]" langchain langchain-openai
    OPENAI_API_KEY=… python examples/langchain_agent.py "When was Python 3.14 released?"

`OPENAI_MODEL` and `OPENAI_BASE_URL` choose another model; see kensaku's README for search keys.
"""

import os
import sys

from langchain.agents import create_agent
from langchain_openai import ChatOpenAI

import kensaku


def main(question: str) -> None:
    model = ChatOpenAI(model=os.environ.get("OPENAI_MODEL", "gpt-5-mini"))
    agent = create_agent(model, tools=kensaku.tools_for("langchain"))
    state = agent.invoke({"messages": [{"role": "user", "content": question}]})
    print(state["messages"][-1].text)


if __name__ == "__main__":
    main(" ".join(sys.argv[1:]) or "When was Python 3.14 released?")
