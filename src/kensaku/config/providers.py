"""What is configured for each provider: its section of the file, its environment variables."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from kensaku.config.parsers import Parser, parse_value, rate, switch, words
from kensaku.config.secret import Secret
from kensaku.providers import provider_class, provider_names

if TYPE_CHECKING:
    from kensaku.config.file import SettingsFile


Layer = Mapping[str, tuple[str, str]]  # key → value and origin


@dataclass(frozen=True)
class ProviderSettings:
    """What is configured for one provider."""

    keys: tuple[Secret, ...] = ()
    base_url: str | None = field(default=None, repr=False)  # it may hold a password
    rate: str | None = None
    enabled: bool = True
    options: Mapping[str, str] = field(default_factory=dict, repr=False)


NOTHING = ProviderSettings()


def load_providers(
    sections: Mapping[str, SettingsFile],
    env: Mapping[str, str],
    below: Layer,
    origins: dict[str, str],
) -> Iterator[tuple[str, ProviderSettings]]:
    """The settings of every provider that has any. `below` counts where nothing else does."""
    for name in sections:
        provider_class(name)  # a misspelt one is named, with the nearest
    for name in dict.fromkeys([*provider_names(), *sections]):
        configured = _provider(name, sections.get(name), env, below, origins)
        if configured != NOTHING:
            yield name, configured


def _provider(
    name: str,
    section: SettingsFile | None,
    env: Mapping[str, str],
    below: Layer,
    origins: dict[str, str],
) -> ProviderSettings:
    cls, prefix = provider_class(name), re.sub("[-:]", "_", name.upper())
    known = {"api_key", "base_url", "rate", "enabled", *cls.options}
    if section is not None:
        section.refuse_unknown(known)

    def value(what: str, parse: Parser, *variables: str) -> Any:
        key = f"providers.{name}.{what}"
        # Without a variable: in the file alone, for it names a program to run.
        below_counts = "" not in variables
        variable = next((v for v in variables if v and env.get(v, "").strip()), None)
        if variable is not None:
            raw, origins[key] = env[variable].strip(), f"environment {variable}"
        elif section is not None and what in section:
            raw, origins[key] = section[what], section.where(what)
        elif below_counts and key in below:
            raw, origins[key] = below[key]
        else:
            return None
        return parse_value(parse, raw, key, origins[key])

    if value("enabled", switch, f"{prefix}_ENABLED") is False:
        return ProviderSettings(enabled=False)  # the rest of the section stays unread
    key_names = [v for v in (cls.key_variable, *cls.key_aliases) if v]
    more_keys = [f"{v}_{n}" for v in key_names for n in range(2, 10) if env.get(f"{v}_{n}")]
    keys = value("api_key", words, *key_names) or ()
    keys += tuple(k for v in more_keys for k in words(env[v]))
    options = {o: value(o, _option, variable) for o, variable in cls.options.items()}
    return ProviderSettings(
        keys=tuple(Secret(k) for k in dict.fromkeys(keys)),
        base_url=value("base_url", _base_url, f"{prefix}_API_BASE_URL", f"{prefix}_BASE_URL"),
        rate=value("rate", rate, f"{prefix}_RATE"),
        options={name: text for name, text in options.items() if text},
    )


def _option(value: Any) -> str:
    """A text; a list is joined as a shell would read it."""
    if isinstance(value, list):
        return shlex.join(map(str, value))
    return str(value)


def _base_url(value: Any) -> str:
    if not str(value).startswith(("http://", "https://")):
        raise ValueError("an address that begins with http:// or https://")
    return str(value).rstrip("/")
