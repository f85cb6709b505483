"""Claude Agent SDK with web search, and no other tool.

    pip install "kensaku-search[claude]"
    ANTHROPIC_API_KEY=… python examples/claude_agent.py "When was Python 3.14 released?"

`ANTHROPIC_MODEL` and `ANTHROPIC_BASE_URL` choose another model; see kensaku's README for search
keys.
"""

import asyncio
import sys

from claude_agent_sdk import ClaudeAgentOptions, ResultMessage, query

from kensaku.adapters.claude import allowed_tools, server


async def main(question: str) -> None:
    options = ClaudeAgentOptions(
        tools=[],
        setting_sources=[],
        mcp_servers={"kensaku": server()},
        allowed_tools=allowed_tools(),
    )
    async for message in query(prompt=question, options=options):
        if isinstance(message, ResultMessage):
            print(message.result)


if __name__ == "__main__":
    asyncio.run(main(" ".join(sys.argv[1:]) or "When was Python 3.14 released?"))
