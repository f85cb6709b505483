"""Change one value of the settings file; comments and everything else stay as they are.

    set_value("providers.tavily.api_key", "tvly-…") → checked → written whole, readable by you alone

A value that the settings refuse is not written.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping, MutableMapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kensaku.config.settings import Settings, environment, settings_file
from kensaku.errors import ConfigError, MissingExtra, UnknownName, system_reason
from kensaku.messages import msg

if TYPE_CHECKING:
    from tomlkit import TOMLDocument


def set_value(key: str, value: str, file: Path | None = None) -> Path:
    """Set one value. Raises `ConfigError` or `UnknownName`; then nothing has changed."""
    path = _path(file)
    document = _read(path)
    *sections, name = _split(key)
    table: Any = document
    for section in sections:
        if section not in table:
            table[section] = _toml().table()
        table = table[section]
        if not isinstance(table, MutableMapping):  # a value: nothing stands below it
            raise UnknownName(msg("setting"), key, _keys(document))
    table[name] = value if sections[:1] == ["headers"] else _native(value)
    _write(path, document)
    return path


def unset_value(key: str, file: Path | None = None) -> Path:
    """Take a value out, so that the default counts again. Raises `UnknownName`."""
    path = _path(file)
    document = _read(path)
    *sections, name = _split(key)
    table: Any = document
    for section in sections:
        table = table.get(section) if isinstance(table, MutableMapping) else None
    if not isinstance(table, MutableMapping) or name not in table:
        raise UnknownName(msg("setting in the file"), key, _keys(document))
    del table[name]
    _write(path, document)
    return path


def _path(file: Path | None) -> Path:
    path = file or settings_file(environment())
    if path.suffix != ".toml":
        raise ConfigError(
            msg(
                "{path} is no TOML, and only TOML files are changed by this command", path=path.name
            ),
            remedy=msg("edit {path} yourself", path=path.name),
        )
    return path


def _split(key: str) -> list[str]:
    parts = key.split(".")
    if parts[0] == "headers" and len(parts) > 3:  # headers.wiki.example.com.Cookie
        parts = ["headers", ".".join(parts[1:-1]), parts[-1]]
    if not all(parts) or len(parts) > 3:
        raise ConfigError(
            msg("{key!r} is no name of a setting", key=key[:80]), remedy=msg("see: kensaku config")
        )
    return parts


def _read(path: Path) -> TOMLDocument:
    tomlkit = _toml()
    try:
        document: TOMLDocument = tomlkit.parse(path.read_text("utf-8"))
    except FileNotFoundError:
        return tomlkit.document()  # type: ignore[no-any-return]
    except OSError as error:
        raise ConfigError(
            msg("{path} cannot be read: {reason}", path=path, reason=system_reason(error))
        ) from None
    except (ValueError, tomlkit.exceptions.TOMLKitError):
        raise ConfigError(
            msg("{path} is not valid TOML", path=path), remedy=msg("mend it first")
        ) from None
    return document


def _write(path: Path, document: TOMLDocument) -> None:
    """Write a temporary file, check that it loads, and rename it into place."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=".config-", suffix=".toml")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:  # mkstemp: 0600
                file.write(document.as_string())
            _check(Path(name), path)
            os.replace(name, path)
        except BaseException:
            os.unlink(name)
            raise
    except OSError as error:
        raise ConfigError(
            msg("{path} cannot be written: {reason}", path=path, reason=system_reason(error))
        ) from None


def _check(written: Path, path: Path) -> None:
    try:
        Settings.load(written)
    except ConfigError as error:
        message = error.message.replace(str(written), str(path))
        raise ConfigError(message, remedy=error.remedy) from None


def _native(value: str) -> Any:
    """A number or a switch as TOML writes it; everything else as text."""
    if value.lower() in ("true", "false"):
        return value.lower() == "true"
    for kind in (int, float):
        try:
            number = kind(value)
        except ValueError:
            continue
        if str(number) == value:
            return number
    return value


def _keys(table: Mapping[str, Any], prefix: str = "") -> list[str]:
    found = []
    for name, value in table.items():
        nested = _keys(value, f"{prefix}{name}.") if isinstance(value, Mapping) else None
        found += [f"{prefix}{name}"] if nested is None else nested
    return found


def _toml() -> Any:
    try:
        import tomlkit
    except ImportError:
        raise MissingExtra("tomlkit", "standard") from None
    return tomlkit
