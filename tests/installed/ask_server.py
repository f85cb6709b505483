"""Start an HTTP server by its command, wait until it says where it is, and ask it.

Its health, a search, the assistant as a model and by AG-UI, and the page for the browser.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from urllib.request import Request, urlopen

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from tests.installed.cases import QUERY  # noqa: E402


def main(command: list[str]) -> int:
    server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, start_new_session=True)
    try:
        assert server.stderr
        for line in server.stderr:
            if address := re.search(r"http://\S+", line):
                break
            print(line, end="", file=sys.stderr)
        else:
            return 1
        print(urlopen(f"{address[0]}/healthz").read().decode())
        token = Path(os.environ["KENSAKU_HOME"], "server-token").read_text(encoding="utf-8").strip()
        head = {"Content-Type": "application/json", "Authorization": f"Bearer {token}"}
        asked = [{"id": "1", "role": "user", "content": QUERY}]
        run = {"threadId": "t", "runId": "r", "state": {}, "tools": [], "context": []}
        for path, body in (
            ("search", {"query": QUERY}),
            ("v1/chat/completions", {"model": "kensaku", "messages": asked}),
            ("agent", {**run, "messages": asked, "forwardedProps": {}}),
        ):
            data = json.dumps(body).encode()
            print(urlopen(Request(f"{address[0]}/{path}", data, head)).read().decode())
        print(re.findall("<title>.*?</title>", urlopen(address[0]).read().decode()))
    finally:
        server.terminate()
        server.wait(30)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
