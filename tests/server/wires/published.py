"""What the OpenAPI document says of each wire: `python -m tests.server.wires.published` writes it.

Read the difference before you commit it: clients are generated from these names and bounds.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.server.operations import document
from tests.server.wires.performed import WIRES

FILE = Path(__file__).with_name("published.json")


# The wires by their prefixes, and the assistant's paths.
PREFIXES = [*WIRES, "v1", "agent"]


def describe(prefix: str) -> dict[str, Any]:
    """Return the parameters and the body of each method and path below a prefix."""
    return {
        f"{method.upper()} {path}": {
            key: value for key, value in operation.items() if key in ("parameters", "requestBody")
        }
        for path, methods in document()["paths"].items()
        if path.split("/")[1] == prefix
        for method, operation in methods.items()
    }


def write() -> None:
    """Take what is published now as right."""
    known = {prefix: describe(prefix) for prefix in PREFIXES}
    FILE.write_text(json.dumps(known, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    write()
