"""Ask each provider once, and say in one line what came of it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path

from kensaku.config.settings import Settings
from kensaku.errors import KensakuError
from kensaku.models import Query
from kensaku.providers import BUILT_IN, provider_class
from kensaku.testing import Cassette
from kensaku.transport.http import HttpClient

from .recording import KeyFound, RecordingTransport, recording, refuse_keys, write

TIMEOUT = 30.0


@dataclass(frozen=True)
class Line:
    """What came of one provider."""

    provider: str
    what: str  # "found", "empty", "failed", "not asked"
    detail: str

    def __str__(self) -> str:
        return f"{self.provider:<12} {self.what:<10} {self.detail}"


async def ask_all(
    settings: Settings, names: list[str], query: Query, folder: Path, *, keyless: bool
) -> list[Line]:
    """Ask the providers one after the other; print each line as it comes."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = []
    for name in names or [n for n in BUILT_IN if provider_class(n).is_web]:
        reason = why_not(settings, name, keyless=keyless)
        line = (
            Line(name, "not asked", reason) if reason else await ask(settings, name, query, folder)
        )
        print(line, flush=True)
        lines.append(line)
    return lines


def why_not(settings: Settings, name: str, *, keyless: bool) -> str:
    """Return why a provider is not asked; "" when it is."""
    cls, configured = provider_class(name), settings.provider(name)
    if missing := [cls.options[option] for option in cls.needs if option not in configured.options]:
        return f"{missing[0]} is not set"
    if not (configured.base_url or cls.url):
        return f"{name.upper()}_BASE_URL is not set"
    if configured.keys:
        return ""
    if cls.keyless or cls.key_variable is None:
        return "" if keyless else "it needs no key; KEYLESS=1 asks it"
    return f"{cls.key_variable} is not set"


async def ask(settings: Settings, name: str, query: Query, folder: Path) -> Line:
    """Search once; record the findings as a cassette, and the reply as it came."""
    configured = settings.provider(name)
    provider = provider_class(name)(configured.base_url, configured.options)
    key = configured.keys[0].reveal() if configured.keys else ""
    secrets = [secret for secret in (key, *configured.options.values()) if secret]
    http = HttpClient(user_agent=settings.user_agent)
    carrier = RecordingTransport(http)
    file = folder / f"{name}.json"
    started = asyncio.get_running_loop().time()
    try:
        async with asyncio.timeout(TIMEOUT):
            found = await Cassette(file, "record").ask(provider, query, key, carrier)
        detail = f"{len(found.hits)} hits"
        what = "found" if found.hits else "empty"
    except TimeoutError:
        what, detail = "failed", f"no answer within {TIMEOUT:g} s"
    except KensakuError as error:
        what, detail = "failed", f"{type(error).__name__}: {error}"
    finally:
        await http.close()
    elapsed = (asyncio.get_running_loop().time() - started) * 1000
    try:
        _keep(file, carrier, secrets)
    except KeyFound as error:
        return Line(name, "failed", str(error))
    return Line(name, what, f"{detail}; {elapsed:.0f} ms; known by {provider.known_by}")


def _keep(cassette: Path, carrier: RecordingTransport, secrets: list[str]) -> None:
    """Write the reply beside the cassette; leave neither where a key is in one of them."""
    reply_file = cassette.with_suffix(".reply.json")
    try:
        refuse_keys(cassette.read_text(encoding="utf-8"), secrets)
        for request, reply in carrier.exchanges[-1:]:
            write(reply_file, recording(request, reply, secrets), secrets)
    except KeyFound:
        cassette.unlink()
        reply_file.unlink(missing_ok=True)
        raise
