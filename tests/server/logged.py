"""What a server in this process logs, as `kensaku serve` logs it; and how a secret may look there."""

from __future__ import annotations

import base64
import io
import json
import logging
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import quote, quote_plus

from kensaku import Settings
from kensaku.server.logs import QUIET, configure_logging


def forms(secret: str) -> list[str]:
    """A secret as it is, in an address, and in base64 after any number of bytes."""
    encoded = [
        base64.b64encode(b"x" * before + secret.encode()).decode()[before and 4 : -4]
        for before in range(3)
    ]
    return [secret, quote(secret, safe=""), quote_plus(secret), *encoded]


def assert_no_secret(secrets: Iterable[str], *texts: str) -> None:
    """None of them stands in a text, in whichever form; nor does a part of a canary."""
    for text in texts:
        for secret in secrets:
            assert not [form for form in forms(secret) if form in text]
        assert "CANARY" not in text


class Logs:
    """What was written, line by line."""

    handler: logging.Handler

    def __init__(self) -> None:
        self.stream = io.StringIO()

    @property
    def text(self) -> str:
        return self.stream.getvalue()

    @property
    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.text.splitlines()]

    @property
    def requests(self) -> list[dict[str, Any]]:
        return [line for line in self.lines if line["message"] == "request"]


@contextmanager
def logged(settings: Settings, level: str) -> Iterator[Logs]:
    """Log as a server with these settings does."""
    root, names = logging.getLogger(), ("", *QUIET)
    levels, handlers = [logging.getLogger(n).level for n in names], root.handlers
    told = Logs()
    told.handler = configure_logging(settings, level, told.stream)
    try:
        yield told
    finally:
        root.handlers = handlers
        for name, before in zip(names, levels, strict=True):
            logging.getLogger(name).setLevel(before)
