"""Checks of this machine: home, files, versions, proxies, the local index. No network."""

from __future__ import annotations

import asyncio
import platform
import sqlite3
import stat
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Any, Literal

from kensaku.errors import KensakuError, system_reason
from kensaku.messages import msg
from kensaku.providers import provider_class
from kensaku.text.clean import one_line

if TYPE_CHECKING:
    from datetime import date

    from kensaku.client import Kensaku
    from kensaku.config.settings import Settings

SAFE_WAL = (3, 51, 3)  # from this version of SQLite on, the cache uses the write-ahead log


@dataclass(frozen=True, slots=True)
class CheckResult:
    """One line of the report: fine, worth a look, or broken; and what to do."""

    mark: Literal["✓", "!", "✗"]
    subject: str
    message: str
    remedy: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return the result, ready for JSON."""
        state = {"✓": "well", "!": "look", "✗": "broken"}[self.mark]
        return {
            "state": state,
            "what": self.subject,
            "said": one_line(self.message),
            "next": one_line(self.remedy),
        }


def check_machine(settings: Settings) -> list[CheckResult]:
    """Run the checks that need neither the network nor an event loop."""
    return [
        CheckResult("✓", "python", f"{platform.python_version()} ({platform.system()})"),
        _sqlite(),
        _home(settings.home),
        *_files(settings),
        *_proxies(settings),
        *find_sunsets(settings),
    ]


async def check_index(k: Kensaku, seconds: float) -> CheckResult:
    """Open the local index and count its documents."""
    if not k.settings.home.joinpath("index").is_dir():
        return CheckResult(
            "!",
            msg("local index"),
            msg("there is none yet"),
            msg("the first search builds one, or: kensaku index add"),
        )
    try:
        async with asyncio.timeout(seconds):
            stats = await k.index.stats()
    except TimeoutError:
        remedy = msg("end the process that holds it, or move it away")
        return CheckResult(
            "✗",
            msg("local index"),
            msg("it did not open within {seconds:g} s", seconds=seconds),
            remedy,
        )
    except KensakuError as error:
        return CheckResult(
            "✗",
            msg("local index"),
            error.message,
            error.remedy or msg("move it away, and add again"),
        )
    if not stats:
        return CheckResult("!", msg("local index"), msg("it is empty"), "kensaku index add PATH")
    counts = ", ".join(f"{name} {s.get('documents', '?')}" for name, s in stats.items())
    return CheckResult("✓", msg("local index"), msg("documents: {counts}", counts=counts))


def _sqlite() -> CheckResult:
    version = sqlite3.sqlite_version
    if sqlite3.sqlite_version_info >= SAFE_WAL:
        return CheckResult("✓", "SQLite", version)
    return CheckResult(
        "✓",
        "SQLite",
        msg(
            "{version}; before 3.51.3 the slower, safe journal is used for the cache",
            version=version,
        ),
    )


def _home(home: Path) -> CheckResult:
    try:
        home.mkdir(parents=True, exist_ok=True, mode=0o700)
        with TemporaryFile(dir=home):
            pass
    except OSError as error:
        message = msg("{path} cannot be written: {reason}", path=home, reason=system_reason(error))
        return CheckResult(
            "✗", msg("home"), message, msg("set KENSAKU_HOME to a directory of yours")
        )
    mode = stat.S_IMODE(home.stat().st_mode)
    if mode & 0o077:
        return CheckResult(
            "!",
            msg("home"),
            msg("{home} is open to others ({mode:o})", home=home, mode=mode),
            f"chmod 700 {home}",
        )
    return CheckResult("✓", msg("home"), msg("{home} is writable and private", home=home))


def _files(settings: Settings) -> list[CheckResult]:
    """Report files with queries or keys that other users can read."""
    names = ["state.sqlite", "cache.sqlite", "config.toml", "config.yaml"]
    paths = {settings.home / name for name in names}
    paths |= {
        Path(origin.rpartition(", line ")[0])
        for origin in settings.origins.values()
        if ", line " in origin
    }
    return [
        CheckResult(
            "!",
            msg("files"),
            msg("{path} can be read by others ({mode:o})", path=path, mode=mode),
            f"chmod 600 {path}",
        )
        for path in sorted(paths)
        if path.is_file() and (mode := stat.S_IMODE(path.stat().st_mode)) & 0o077
    ]


def _proxies(settings: Settings) -> list[CheckResult]:
    from urllib.request import getproxies_environment

    ours = "kensaku"  # KENSAKU_PROXY, which looks like one of the usual variables
    ignored = sorted(name for name in getproxies_environment() if name not in ("no", ours))
    if not ignored:
        return []
    names = ", ".join(f"{name.upper()}_PROXY" for name in ignored)
    if settings.proxy:
        return [
            CheckResult(
                "✓",
                msg("proxy"),
                msg("the one of the settings is used; {names} is not looked at", names=names),
            )
        ]
    return [
        CheckResult(
            "!",
            msg("proxy"),
            msg("{names} is not looked at", names=names),
            msg("set KENSAKU_PROXY when you need it"),
        )
    ]


def find_sunsets(settings: Settings, today: date | None = None) -> list[CheckResult]:
    """List the providers in use whose service ends, or has ended by `today`."""
    from datetime import UTC, datetime

    today = today or datetime.now(UTC).date()
    results = []
    for name in settings.providers:
        if (end := provider_class(name).sunset) is not None:
            ended = end <= today
            message = (
                msg("the service ended on {day}", day=end)
                if ended
                else msg("the service ends on {day}", day=end)
            )
            mark: Literal["✗", "!"] = "✗" if ended else "!"
            results.append(CheckResult(mark, name, message, msg("plan its successor")))
    return results
