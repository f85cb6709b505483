"""The `settings.json` of a terminal assistant: a layer below our own file.

    {"webSearch": {"provider": "brave", "brave": {"apiKey": "…"}}}
        → "route": brave, "providers.brave.api_key": …, each with its file and line

It is looked for where Kensaku's own files are, where the assistant's document puts it, and where
the assistant itself does; never in the working directory. The first file that has a value counts.
The other programs' files are read as they come: what cannot be used in them is left out.
"""

from __future__ import annotations

import json
import os
import re
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from kensaku._logger import get_logger
from kensaku.config.file import MAX_BYTES
from kensaku.config.providers import Layer
from kensaku.config.settings import Settings, environment
from kensaku.errors import ConfigError
from kensaku.foreign_json import decode_json
from kensaku.providers import provider_class, provider_names

SECTION = "webSearch"
_log = get_logger("kensaku")


def load_settings(
    file: str | Path | None = None, environ: Mapping[str, str] | None = None, **arguments: Any
) -> Settings:
    """Read Kensaku's settings with the assistant's files below them; as `Settings.load`."""
    env = environment() if environ is None else environ
    return Settings.load(file, env, below=read_terminal_files(env), **arguments)


def read_terminal_files(env: Mapping[str, str]) -> Layer:
    """Return what the files say, by our keys. Raises `ConfigError` for a wrong file of ours."""
    layer: dict[str, tuple[str, str]] = {}
    own, *others = terminal_files(env)
    for path in (own, *others):
        try:
            values = read_section(path, read_json(path))
        except ConfigError as error:
            if path == own:
                raise
            _log.warning("%s; it is left out", error.message)
            continue
        for key, value, theirs in _translate(values):
            if key not in layer and (path == own or not _is_wrong(key, value)):
                layer[key] = value, _where(path, theirs)
    return layer


def terminal_files(env: Mapping[str, str]) -> list[Path]:
    """Return the paths, ours first. A relative path would be one of the working directory."""
    user = Path(env.get("HOME") or "~").expanduser()
    ours = Path(env.get("KENSAKU_HOME") or user / ".config" / "kensaku").expanduser()
    state = Path(env.get("XDG_STATE_HOME") or "")
    state = state if state.is_absolute() else user / ".local" / "state"
    theirs = [user / ".config" / "term2", state / "term2-nodejs"]
    return [ours / "settings.json", *(d / "settings.json" for d in theirs if d.is_absolute())]


def read_json(path: Path) -> dict[str, Any]:
    """Read a JSON object; a file that is not there is an empty one. Raises `ConfigError`."""
    try:
        with path.open("rb") as file:
            _check_mode(path, os.fstat(file.fileno()))
            data = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}") from None
    if len(data) > MAX_BYTES:
        raise ConfigError(f"{path} is larger than 1 MiB; expected a settings file")
    try:
        values = decode_json(data.decode("utf-8-sig") or "{}")
    except ValueError as error:
        line = f", line {error.lineno}" if isinstance(error, json.JSONDecodeError) else ""
        raise ConfigError(f"{path}{line}: expected JSON") from None
    if not isinstance(values, dict):
        raise ConfigError(f"{path}: expected settings by name")
    return values


def read_section(path: Path, whole: Mapping[str, Any]) -> dict[str, str]:
    """Return our section by dotted keys; the rest of the file belongs to other programs."""
    settings: dict[str, str] = {}

    def collect(value: Any, key: str) -> None:
        if isinstance(value, dict):
            for name, inner in value.items():
                collect(inner, f"{key}.{name}")
        elif isinstance(value, str):
            settings[key] = value
        elif value is not None:
            raise ConfigError(f"{path}: {key} must be a text, not {type(value).__name__}")

    if not isinstance(whole.get(SECTION, {}), dict):
        raise ConfigError(f"{path}: {SECTION} must be a section")
    collect(whole.get(SECTION, {}), SECTION)
    return settings


def _check_mode(path: Path, status: os.stat_result) -> None:
    """Raise for a file that somebody else may have written: it says where keys are sent."""
    if os.name != "posix":
        return
    if status.st_uid not in (os.geteuid(), 0):
        raise ConfigError(f"{path} belongs to another user", remedy=f"chown it: {path}")
    if status.st_mode & stat.S_IWOTH:
        raise ConfigError(f"{path} can be written by every user", remedy=f"chmod o-w {path}")


def _translate(values: Mapping[str, str]) -> Iterator[tuple[str, str, str]]:
    """Yield our key, the value and their key. Providers that we do not have are left out."""
    known = provider_names() if values else []
    provider = values.get(f"{SECTION}.provider", "").strip()
    if provider and all(n.strip() in (*known, "auto") for n in provider.split(",")):
        yield "route", provider, f"{SECTION}.provider"
    for name in known:
        members = {"apiKey": "api_key", "baseUrl": "base_url"}
        members |= {option: option for option in provider_class(name).options}
        for theirs, ours in members.items():
            key = f"{SECTION}.{name}.{theirs}"
            if value := values.get(key, "").strip():
                yield f"providers.{name}.{ours}", value, key


def _is_wrong(key: str, value: str) -> bool:
    return key.endswith(".base_url") and not value.startswith(("http://", "https://"))


def _where(path: Path, key: str) -> str:
    """Return the file and the line of a key, for people; each part stands behind the one before."""
    lines, at = path.read_text(encoding="utf-8-sig").splitlines(), 0
    for part in key.split("."):
        word = re.compile(rf'"{re.escape(part)}"\s*:')
        found = next((n for n in range(at, len(lines)) if word.search(lines[n])), None)
        if found is None:
            return str(path)
        at = found
    return f"{path}, line {at + 1}"
