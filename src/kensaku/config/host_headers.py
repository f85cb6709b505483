"""Headers for the pages of one host: its section of the file, as a session's cookie or a token.

[headers."wiki.example.com"]  Cookie = "session=…"  →  {"wiki.example.com": {"Cookie": Secret}}

They are secrets, whatever they hold. Errors name the host and the header, never the value.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from kensaku.config.secret import Secret
from kensaku.errors import ConfigError
from kensaku.messages import msg

if TYPE_CHECKING:
    from kensaku.config.file import SettingsFile

HostHeaders = Mapping[str, Mapping[str, Secret]]

MAX_HOSTS, MAX_HEADERS, MAX_VALUE = 200, 20, 8_000
_LABEL = r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?"
_HOST = re.compile(
    rf"(?:\.{_LABEL}(?:\.{_LABEL})+|{_LABEL}(?:\.{_LABEL})*|\[[0-9a-f:.]+\])(?::\d{{1,5}})?"
)
_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}")
_VALUE = re.compile(r"[\x21-\x7e](?:[\x20-\x7e\t]*[\x21-\x7e])?")
# Ours to send, or of the connection: another value would break the request, or hide who asks.
_OURS = frozenset(
    {"accept-encoding", "connection", "content-length", "expect", "forwarded", "host",
     "if-modified-since", "if-none-match", "keep-alive", "range", "signature", "signature-agent",
     "signature-input", "te", "trailer", "transfer-encoding", "upgrade", "user-agent", "via"}
)  # fmt: skip


def load_headers(sections: Mapping[str, SettingsFile], origins: dict[str, str]) -> HostHeaders:
    """Read the sections of a file. Raises `ConfigError`."""
    found: dict[str, dict[str, Any]] = {}
    for host, section in sections.items():
        found[host] = {name: section[name] for name in section.names}
        origins |= {f"headers.{host}.{name}": section.where(name) for name in section.names}
    return check_headers(found)


def check_headers(hosts: Mapping[str, Mapping[str, Any]]) -> HostHeaders:
    """Return the headers, ready to be sent. Raises `ConfigError`."""
    if len(hosts) > MAX_HOSTS:
        raise ConfigError(msg("headers are for at most {most} hosts", most=MAX_HOSTS))
    checked: dict[str, dict[str, Secret]] = {}
    for host, headers in hosts.items():
        if not _HOST.fullmatch(host.lower()):
            raise ConfigError(
                msg("headers.{host!r} names no host", host=host[:80]),
                remedy=msg("write wiki.example.com, or .example.com for every host under it"),
            )
        checked[host.lower()] = dict(_checked(host, headers))
    return checked


def parts_of(headers: HostHeaders) -> Iterator[str]:
    """Yield what is secret in headers: each value, and the long words in it, as a cookie's."""
    for value in (v.reveal() for named in headers.values() for v in named.values()):
        yield value
        yield from (word for word in re.split(r"[\s;,=]+", value) if len(word) >= 12)


def _checked(host: str, headers: Mapping[str, Any]) -> Iterator[tuple[str, Secret]]:
    if not isinstance(headers, Mapping) or len(headers) > MAX_HEADERS:
        raise ConfigError(
            msg("headers.{host}: expected at most {most} headers", host=host, most=MAX_HEADERS)
        )
    for name, value in headers.items():
        lower = str(name).lower()
        if not _NAME.fullmatch(str(name)) or lower in _OURS or lower.startswith("proxy-"):
            raise ConfigError(
                msg("headers.{host}: {name!r} is no header that can be set", host=host,
                    name=str(name)[:80]),
                remedy=msg("set Cookie, Authorization or one of the site's own"),
            )  # fmt: skip
        text = value.reveal() if isinstance(value, Secret) else value
        if not isinstance(text, str) or len(text) > MAX_VALUE or not _VALUE.fullmatch(text):
            raise ConfigError(
                msg("headers.{host}.{name}: expected one line of ASCII text, at most {most:,} "
                    "characters", host=host, name=name, most=MAX_VALUE)
            )  # fmt: skip
        yield str(name), Secret(text)
