"""Record a reply as it came, without any key.

    provider → RecordingTransport → HTTP → Reply → recording() → NAME.reply.json

A key can be in the query string, in a header, in an error that repeats it, and in other letters.
Values of request headers are not recorded at all, unless they are known to be harmless.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote, quote_plus

from kensaku.providers.base import Reply, Request, Transport
from kensaku.testing._redaction import Redactor

HARMLESS = {"accept", "accept-encoding", "content-type", "user-agent", "x-respond-with"}
KEPT = {"content-type", "retry-after", "x-request-id"}  # of a reply; and those of its rate


class KeyFound(Exception):
    """A key would have been written."""


@dataclass
class RecordingTransport:
    """Carries requests by another transport, and keeps what went to and fro."""

    carrier: Transport
    exchanges: list[tuple[Request, Reply]] = field(default_factory=list)

    async def send(self, request: Request, provider: str) -> Reply:
        reply = await self.carrier.send(request, provider)
        self.exchanges.append((request, reply))
        return reply


def recording(request: Request, reply: Reply, secrets: Iterable[str]) -> dict[str, Any]:
    """Return the exchange as data, with a mark where a key was."""
    params = request.params
    pairs = params.items() if isinstance(params, Mapping) else params
    whole = {
        "request": {
            "method": request.method,
            "url": request.url,
            "params": [[name, str(value)] for name, value in pairs],
            "headers": {n: v if n.lower() in HARMLESS else "…" for n, v in request.headers.items()},
            "json": request.json,
        },
        "reply": {
            "status": reply.status,
            "headers": {n: v for n, v in reply.headers.items() if n in KEPT or "ratelimit" in n},
            "body": _body(reply),
        },
    }
    return dict(Redactor("", secrets).redact(whole))


def write(path: Path, whole: Any, secrets: Iterable[str]) -> None:
    """Write the file, unless a key is in it."""
    text = json.dumps(whole, ensure_ascii=False, indent=1) + "\n"
    refuse_keys(text, secrets)
    path.write_text(text, encoding="utf-8")


def refuse_keys(text: str, secrets: Iterable[str]) -> None:
    """Raise `KeyFound` when the text holds a key in any of its forms."""
    lower = text.lower()
    for secret in secrets:
        if any(form.lower() in lower for form in _forms(secret)):
            raise KeyFound("the recording holds the key; nothing was written")


def _forms(secret: str) -> set[str]:
    written = json.dumps(secret)[1:-1]
    # The last characters of base64 depend on what follows.
    in_base64 = base64.b64encode(secret.encode()).decode().rstrip("=")[:-1]
    return {secret, written, quote(secret, safe=""), quote_plus(secret), in_base64} - {""}


def _body(reply: Reply) -> Any:
    try:
        return reply.json()
    except (ValueError, RecursionError):
        return reply.body.decode("utf-8", "replace")
