"""An MCP client that starts `kensaku mcp` and calls its tools.

    pip install "kensaku-search[mcp]"
    python examples/mcp_client.py "python 3.14 release date"

Assistants and editors do the same from their settings; see docs/mcp.md.
"""

import asyncio
import os
import sys

from mcp import Client, StdioServerParameters
from mcp.types import TextContent


async def main(query: str) -> None:
    server = StdioServerParameters(command="kensaku", args=["mcp"], env=dict(os.environ))
    async with Client(server) as client:
        print([tool.name for tool in (await client.list_tools()).tools])
        result = await client.call_tool("web_search", {"query": query, "max_results": 3})
        print("\n".join(part.text for part in result.content if isinstance(part, TextContent)))


if __name__ == "__main__":
    asyncio.run(main(" ".join(sys.argv[1:]) or "python 3.14 release date"))
