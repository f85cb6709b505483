"""What `kensaku doctor` looks at on this machine: home, files, versions, the index. No network."""

from __future__ import annotations

import asyncio
import platform
import sqlite3
import stat
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Any, Literal

from kensaku.errors import KensakuError
from kensaku.text.clean import one_line

if TYPE_CHECKING:
    from kensaku.client import Kensaku
    from kensaku.config.settings import Settings

SAFE_WAL = (3, 51, 3)


@dataclass(frozen=True, slots=True)
class Finding:
    """One line: well, to be looked at, or broken; and what to do next."""

    mark: Literal["✓", "!", "✗"]
    what: str
    said: str
    next: str = ""

    def __post_init__(self) -> None:
        for name in ("said", "next"):
            object.__setattr__(self, name, one_line(getattr(self, name)))

    def to_dict(self) -> dict[str, Any]:
        """The finding, ready for JSON."""
        states = {"✓": "well", "!": "look", "✗": "broken"}
        return {
            "state": states[self.mark],
            **{k: v for k, v in asdict(self).items() if k != "mark"},
        }


def check_machine(settings: Settings) -> list[Finding]:
    """Everything that needs no network and no event loop."""
    return [
        Finding("✓", "python", f"{platform.python_version()} on {platform.system()}"),
        _sqlite(),
        _home(settings.home),
        *_files(settings),
        *_proxies(settings),
        *_sunsets(settings),
    ]


async def check_index(k: Kensaku, seconds: float) -> Finding:
    """Whether the local index opens, and what is in it."""
    if not k.settings.home.joinpath("index").is_dir():
        return Finding(
            "!",
            "local index",
            "there is none yet",
            "the first search builds one, or: kensaku index add",
        )
    try:
        async with asyncio.timeout(seconds):
            stats = await k.index.stats()
    except TimeoutError:
        then = "end the process that holds it, or move it away"
        return Finding("✗", "local index", f"it did not open within {seconds:g} s", then)
    except KensakuError as error:
        return Finding(
            "✗", "local index", error.message, error.remedy or "move it away, and add again"
        )
    if not stats:
        return Finding("!", "local index", "it is empty", "kensaku index add PATH")
    counts = (f"{name} {s.get('documents', '?')} documents" for name, s in stats.items())
    return Finding("✓", "local index", ", ".join(counts))


def _sqlite() -> Finding:
    version = sqlite3.sqlite_version
    if sqlite3.sqlite_version_info >= SAFE_WAL:
        return Finding("✓", "SQLite", version)
    return Finding(
        "✓", "SQLite", f"{version}; before 3.51.3 the slower, safe journal is used for the cache"
    )


def _home(home: Path) -> Finding:
    try:
        home.mkdir(parents=True, exist_ok=True, mode=0o700)
        with TemporaryFile(dir=home):
            pass
    except OSError as error:
        said = f"{home} cannot be written: {error.strerror}"
        return Finding("✗", "home", said, "set KENSAKU_HOME to a directory of yours")
    mode = stat.S_IMODE(home.stat().st_mode)
    if mode & 0o077:
        return Finding("!", "home", f"{home} is open to others ({mode:o})", f"chmod 700 {home}")
    return Finding("✓", "home", f"{home} is writable and private")


def _files(settings: Settings) -> list[Finding]:
    """Files that others can read: what was searched for, and keys."""
    names = ["state.sqlite", "cache.sqlite", "config.toml", "config.yaml"]
    places = {settings.home / name for name in names}
    places |= {
        Path(origin.rpartition(", line ")[0])
        for origin in settings.origins.values()
        if ", line " in origin
    }
    return [
        Finding("!", "files", f"{place} can be read by others ({mode:o})", f"chmod 600 {place}")
        for place in sorted(places)
        if place.is_file() and (mode := stat.S_IMODE(place.stat().st_mode)) & 0o077
    ]


def _proxies(settings: Settings) -> list[Finding]:
    from urllib.request import getproxies_environment

    ignored = sorted(name for name in getproxies_environment() if name != "no")
    if not ignored:
        return []
    names = ", ".join(f"{name.upper()}_PROXY" for name in ignored)
    if settings.proxy:
        return [Finding("✓", "proxy", f"the one of the settings is used; {names} is not looked at")]
    return [
        Finding("!", "proxy", f"{names} is not looked at", "set KENSAKU_PROXY when you need it")
    ]


def _sunsets(settings: Settings) -> list[Finding]:
    from datetime import UTC, datetime

    from kensaku.providers import provider_class

    today = datetime.now(UTC).date()
    found = []
    for name in settings.providers:
        if (end := provider_class(name).sunset) is not None:
            over = end <= today
            said = f"the service {'ended' if over else 'ends'} on {end}"
            found.append(Finding("✗" if over else "!", name, said, "plan its successor"))
    return found
