"""Web search as a plain coroutine function, for your own loop or a framework without an adapter.

    pip install kensaku-search
    python examples/plain_function.py "python 3.14 release date"

The function has the name, signature and docstring that schema generators read.
"""

import asyncio
import inspect
import sys

import kensaku


async def main(query: str) -> None:
    (web_search,) = kensaku.tools_for("function", "web_search")
    print(web_search.__name__, inspect.signature(web_search))
    print(await web_search(query, max_results=3))


if __name__ == "__main__":
    asyncio.run(main(" ".join(sys.argv[1:]) or "python 3.14 release date"))
