"""What each operation of the OpenAPI document takes, as it was when somebody last looked.

`make golden` writes operations.json. Clients are generated from the document: a field that is
renamed breaks them.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from kensaku.server import openapi
from kensaku.server.asgi import load_surfaces

KEPT = Path(__file__).with_suffix(".json")


def document() -> dict[str, Any]:
    """The whole document."""
    return openapi.document(load_surfaces())


def operations() -> dict[str, Any]:
    """`POST /tavily/search` → its operation, with the statuses alone of its responses."""
    return {
        f"{method.upper()} {path}": {**operation, "responses": list(operation["responses"])}
        for path, methods in document()["paths"].items()
        for method, operation in methods.items()
    }


def write() -> None:
    """Take what is published now as right."""
    lines = (f"{json.dumps(at)}: {json.dumps(op)}" for at, op in operations().items())
    KEPT.write_text("{\n" + ",\n".join(lines) + "\n}\n")
