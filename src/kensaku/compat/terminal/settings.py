"""The settings of the terminal assistant: arguments > environment > file > default.

    SettingsService({"webSearch.provider": "brave"}).get("webSearch.brave.apiKey")

The file is `settings.json` in `KENSAKU_HOME`, or in `~/.config/kensaku`; it takes the place of the
document's `~/.config/term2/settings.json` and has the same `webSearch` section. `load_settings`
reads both. Keys are better kept in the environment: a secret is written into the file only when the
caller says so.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kensaku.compat.terminal.file import SECTION, load_settings, read_json, read_section
from kensaku.compat.terminal.registry import sensitive_setting_keys
from kensaku.config.providers import ProviderSettings
from kensaku.config.secret import Secret
from kensaku.config.settings import Settings
from kensaku.errors import ConfigError
from kensaku.providers import BUILT_IN, provider_class, provider_names

if TYPE_CHECKING:
    from kensaku.compat.terminal.types import SettingsReader

PROVIDER = "webSearch.provider"
DEFAULT_SETTINGS: dict[str, Any] = {SECTION: {"provider": "tavily", "tavily": {}}}
SETTING_KEYS = {
    "WEB_SEARCH_PROVIDER": PROVIDER,
    **{f"WEB_SEARCH_{n.upper()}_API_KEY": f"{SECTION}.{n}.apiKey" for n in BUILT_IN},
}


class SettingsService:
    """Every setting by its dotted key, and where it came from."""

    def __init__(
        self,
        arguments: Mapping[str, str] | None = None,
        *,
        path: str | Path | None = None,
        environ: Mapping[str, str] | None = None,
    ) -> None:
        self.core = Settings.load(environ=environ)
        self.path = Path(path) if path else _home(self.core) / "settings.json"
        self._arguments: dict[str, str | None] = dict(arguments or {})
        self._file = read_section(self.path, read_json(self.path))

    def __repr__(self) -> str:
        return f"SettingsService({str(self.path)!r})"

    def get(self, key: str) -> str | None:
        """Return the value, or None."""
        return self._lookup(key)[0]

    def origin(self, key: str) -> str:
        """Return where the value came from, for people."""
        return self._lookup(key)[1]

    def set(self, key: str, value: str | None, *, in_clear: bool = False) -> bool:
        """Change a setting, for this program and in the file; None removes it.

        A secret is kept in this program only, unless it may stand `in_clear` in the file.
        Returns whether the file was written.
        """
        if not key.startswith(f"{SECTION}.") or (value is not None and not isinstance(value, str)):
            raise ConfigError(f"{key!r} cannot be set; expected {SECTION}.… and a text")
        written = value is None or in_clear or not is_sensitive(key)
        if written:
            whole = read_json(self.path)
            _put(whole, key.split("."), value)
            _write(self.path, whole)
            self._file = read_section(self.path, whole)
        self._arguments[key] = value
        return written

    def describe(self) -> list[tuple[str, str, str]]:
        """Return key, value and origin of every setting, secrets masked, for people."""
        keys = dict.fromkeys([PROVIDER, *self._file, *self._arguments, *_setting_keys()])
        rows = [(key, *self._lookup(key)) for key in keys]
        return [
            (key, Secret(value).masked if is_sensitive(key) else value, origin)
            for key, value, origin in rows
            if value
        ]

    def _lookup(self, key: str) -> tuple[str | None, str]:
        if key in self._arguments:
            return self._arguments[key], "argument"
        value, origin = _core_value(self.core, key)
        if value and origin.startswith("environment"):
            return value, origin
        if key in self._file:
            return self._file[key], str(self.path)
        if value:
            return value, origin
        return ("tavily" if key == PROVIDER else None), "default"


def is_sensitive(key: str) -> bool:
    """Whether a setting is a secret, by a provider's declaration or by its name."""
    return key in sensitive_setting_keys() or key.lower().endswith(("apikey", "token", "secret"))


def core_settings(service: SettingsReader) -> Settings:
    """Return the core's settings, overridden by `webSearch.*`."""
    base = service.core if isinstance(service, SettingsService) else load_settings()
    over = {name: _overlay(service, base, name) for name in provider_names()}
    return replace(base, providers={**base.providers, **{n: p for n, p in over.items() if p}})


def _overlay(service: SettingsReader, base: Settings, name: str) -> ProviderSettings | None:
    has, prefix = base.provider(name), f"{SECTION}.{name}"
    keys = [k.strip() for k in (service.get(f"{prefix}.apiKey") or "").split(",") if k.strip()]
    options = {o: service.get(f"{prefix}.{o}") for o in provider_class(name).options}
    now = replace(
        has,
        keys=tuple(map(Secret, keys)),
        base_url=(service.get(f"{prefix}.baseUrl") or has.base_url or "").rstrip("/") or None,
        options={**has.options, **{o: v for o, v in options.items() if v}},
    )
    return now if now != has else None


def _core_value(core: Settings, key: str) -> tuple[str | None, str]:
    """Return the value of a key in the environment or the core's own file, and its origin."""
    if key == PROVIDER:
        origin = core.origins.get("route", "")
        # Several in a row are the whole route, which is a provider here, too.
        return (core.route[0] if len(core.route) == 1 else "auto") if origin else None, origin
    _, name, what = (*key.split("."), "", "")[:3]
    has = core.provider(name)
    values = {
        "apiKey": ("api_key", ",".join(k.reveal() for k in has.keys)),
        "baseUrl": ("base_url", has.base_url or ""),
    }
    member, value = values.get(what, (what, has.options.get(what, "")))
    return value or None, core.origins.get(f"providers.{name}.{member}", "")


def _setting_keys() -> list[str]:
    return [
        f"{SECTION}.{name}.{what}"
        for name in provider_names()
        for what in ("apiKey", "baseUrl", *provider_class(name).options)
    ]


def _home(core: Settings) -> Path:
    # Without KENSAKU_HOME, data and settings live in two places, as the desktop's rules want.
    return core.home if "home" in core.origins else Path("~/.config/kensaku").expanduser()


def _put(whole: dict[str, Any], parts: list[str], value: str | None) -> None:
    for part in parts[:-1]:
        inner = whole.setdefault(part, {})
        if not isinstance(inner, dict):
            raise ConfigError(f"{'.'.join(parts)} cannot be set: {part} is not a section")
        whole = inner
    if value is None:
        whole.pop(parts[-1], None)
    else:
        whole[parts[-1]] = value


def _write(path: Path, whole: Mapping[str, Any]) -> None:
    """Replace the file atomically by one that only its owner can read."""
    path = path.resolve()  # a link stays a link
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=".settings-")  # 0600
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump(whole, file, indent=4, ensure_ascii=False)
                file.write("\n")
                file.flush()
                os.fsync(file.fileno())
            os.replace(name, path)
        except BaseException:
            os.unlink(name)
            raise
        _sync_directory(path.parent)
    except OSError as error:
        raise ConfigError(f"{path} cannot be written: {error.strerror}") from None


def _sync_directory(directory: Path) -> None:
    if os.name == "posix":
        handle = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
