"""A settings file: parsed once, with the line number of every value.

read_file(path) → SettingsFile: "cache.ttl" → value; where("cache.ttl") → "config.toml, line 7"
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from kensaku.errors import ConfigError, MissingExtra, UnknownName, system_reason
from kensaku.messages import msg

MAX_BYTES = 1 << 20
_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}")


# A key of TOML, YAML or JSON, or a part of a TOML section's name.
_KEY = r"""^\s*\[[^\]]*\b{0}\b|(?:^|[\s{{,.])["']?{0}["']?(?:\s*[=:]|\.\w)"""


class SettingsFile:
    """The values of one file, or of one section of it, by dotted key."""

    def __init__(
        self,
        values: Mapping[str, Any],
        path: Path | None,
        text: str,
        env: Mapping[str, str],
        prefix: str = "",
    ):
        self._values, self._path, self._text, self._env = dict(values), path, text, env
        self._prefix = prefix  # of this section, e.g. "providers.tavily."

    @property
    def names(self) -> list[str]:
        """The names of the values."""
        return list(self._values)

    @property
    def is_file(self) -> bool:
        """Whether the values are from a file; a program may also give them."""
        return self._path is not None

    def __contains__(self, key: str) -> bool:
        return self._find(key) is not None

    def __getitem__(self, key: str) -> Any:
        return self._expand(self._find(key), key)

    def where(self, key: str) -> str:
        """The file and the line, for people."""
        if self._path is None:
            return "the configuration"
        lines, at = self._text.splitlines(), 0
        for part in (self._prefix + key).split("."):  # each part stands behind the one before it
            word = re.compile(_KEY.format(re.escape(part)))
            found = next((n for n in range(at, len(lines)) if word.search(lines[n])), None)
            if found is None:
                return str(self._path)
            at = found
        return f"{self._path}, line {at + 1}"

    def take_sections(self, name: str) -> dict[str, SettingsFile]:
        """The sections under `name`, taken out; those with `enabled = false` stay unread."""
        sections = self._values.pop(name, {})
        if not isinstance(sections, dict) or not all(
            isinstance(s, dict) for s in sections.values()
        ):
            raise ConfigError(
                msg(
                    "{where}: expected sections such as [{name}.tavily]",
                    where=self.where(name),
                    name=name,
                )
            )
        return {
            n: SettingsFile(s if s.get("enabled", True) is not False else {"enabled": False},
                      self._path, self._text, self._env, f"{name}.{n}.")
            for n, s in sections.items()
        }  # fmt: skip

    def refuse_unknown(self, known: Iterable[str]) -> None:
        """Raise for an unknown key: it is nearly always misspelt."""
        allowed = set(known)
        for key in _keys(self._values):
            if key not in allowed:
                error = UnknownName(msg("setting"), key, allowed)
                raise ConfigError(
                    msg("{where}: {what}", where=self.where(key), what=error.message),
                    remedy=error.remedy,
                )

    def _find(self, key: str) -> Any:
        value: Any = self._values
        for part in key.split("."):
            value = value.get(part) if isinstance(value, dict) else None
        return value

    def _expand(self, value: Any, key: str) -> Any:
        if isinstance(value, list):
            return [self._expand(v, key) for v in value]
        return (
            _VARIABLE.sub(lambda m: self._variable(m, key), value)
            if isinstance(value, str)
            else value
        )

    def _variable(self, match: re.Match[str], key: str) -> str:
        name, default = match.groups()
        if (value := self._env.get(name) or default) is None:
            raise ConfigError(
                msg(
                    "{where}: {key} needs the environment variable {name}, which is not set",
                    where=self.where(key),
                    key=key,
                    name=name,
                ),
                remedy=msg("set it, or write ${{{name}:-default}}", name=name),
            )
        return value


def read_file(path: Path | None, env: Mapping[str, str]) -> SettingsFile:
    """Read a settings file; no file is an empty one. Raises `ConfigError`."""
    if path is None:
        return SettingsFile({}, None, "", env)
    try:
        if path.stat().st_size > MAX_BYTES:
            raise ConfigError(
                msg("{path} is larger than 1 MiB; expected a settings file", path=path)
            )
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise ConfigError(
            msg("{path} cannot be read: {reason}", path=path, reason=system_reason(error)),
            remedy=msg("check the path and its permissions"),
        ) from None
    except UnicodeDecodeError:
        raise ConfigError(msg("{path} is not UTF-8 text", path=path)) from None
    values = _parse(path, text)
    if not isinstance(values, dict):
        raise ConfigError(msg("{path}, line 1: expected settings by name", path=path))
    return SettingsFile(values, path, text, env)


def _parse(path: Path, text: str) -> Any:
    if path.suffix in (".yaml", ".yml"):
        return _yaml(path, text)
    if path.suffix == ".json":
        import json

        from kensaku.foreign_json import decode_json

        try:
            return decode_json(text or "{}")
        except json.JSONDecodeError as error:
            raise ConfigError(
                msg(
                    "{path}, line {lineno}: expected JSON: {msg}",
                    path=path,
                    lineno=error.lineno,
                    msg=error.msg,
                )
            ) from None
        except ValueError as error:
            raise ConfigError(f"{path}: {error}") from None
    import tomllib

    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        line = re.search(r"line (\d+)", str(error))
        where = f"line {line.group(1)}" if line else f"line {text.count(chr(10)) + 1}"
        said = str(error).partition(" (at")[0]
        raise ConfigError(
            msg("{path}, {where}: expected TOML: {said}", path=path, where=where, said=said)
        ) from None


def _yaml(path: Path, text: str) -> Any:
    try:
        import yaml
    except ImportError:
        raise MissingExtra(msg("the YAML reader"), "yaml") from None
    try:
        return yaml.safe_load(text) or {}
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = mark.line + 1 if mark else 1
        said = getattr(error, "problem", None) or "it does not parse"
        raise ConfigError(
            msg("{path}, line {line}: expected YAML: {said}", path=path, line=line, said=said)
        ) from None


def _keys(values: Mapping[str, Any], prefix: str = "") -> Iterable[str]:
    for name, value in values.items():
        if isinstance(value, dict):
            yield from _keys(value, f"{prefix}{name}.")
        else:
            yield prefix + str(name)
