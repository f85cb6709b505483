"""rs-trafilatura as a process, for interpreters that have a wheel of it and not of the rest.

    request, one line of JSON: {"html", "url"}    reply, one line: {"text", "milliseconds", "error"}

Started by `bench/extraction.py --peers PYTHON`, never by hand.
"""

from __future__ import annotations

import json
import sys
import time
from importlib.metadata import version


def main() -> None:
    """Answer until the input ends; the first line is the version."""
    import rs_trafilatura

    print(json.dumps({"version": version("rs-trafilatura")}), flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        start, text, error = time.process_time(), "", ""
        try:
            text = rs_trafilatura.extract(request["html"], url=request["url"]).main_content or ""
        except Exception as failure:  # reported by the parent, as for every peer
            error = type(failure).__name__
        spent = (time.process_time() - start) * 1000
        print(json.dumps({"text": text, "milliseconds": spent, "error": error}), flush=True)


if __name__ == "__main__":
    main()
