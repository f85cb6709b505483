"""Google Gen AI SDK with web search.

    pip install "kensaku-search[google]"
    GEMINI_API_KEY=… python examples/google_genai_agent.py "When was Python 3.14 released?"

`GEMINI_MODEL` and `GOOGLE_GEMINI_BASE_URL` choose another model; see kensaku's README for search
keys.
"""

import os
import sys

from google import genai

from kensaku.adapters.google_genai import generate_sync
from kensaku.tools import ToolRegistry


def main(question: str) -> None:
    with genai.Client() as client:
        reply = generate_sync(
            client,
            model=os.environ.get("GEMINI_MODEL", "gemini-2.5-flash"),
            contents=question,
            tools=ToolRegistry(),
        )
    print(reply.text)


if __name__ == "__main__":
    main(" ".join(sys.argv[1:]) or "When was Python 3.14 released?")
