"""robots.txt as RFC 9309 defines it: groups, longest match, `*` and `$`. Pure, in linear time.

    text → parse(text, agent) → Rules → .allows("/path?query"), .delay, .sitemaps, .signals

The standard library's parser knows no wildcards and takes the first match, not the longest.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from urllib.parse import quote, unquote_to_bytes

MAX_BYTES = 500 * 1024  # the least that RFC 9309 wants read; the rest is ignored
MAX_RULES = 10_000
MAX_SITEMAPS = 100
MAX_DELAY = 3600.0


class _Pattern:
    """One path pattern, split at its wildcards once."""

    __slots__ = ("_anchored", "_pieces", "_prefix", "allow")

    def __init__(self, text: str, allow: bool) -> None:
        self.allow = allow
        self._anchored = text.endswith("$")
        self._prefix, *self._pieces = (text[:-1] if self._anchored else text).split("*")

    def matches(self, path: str) -> bool:
        if not path.startswith(self._prefix):
            return False
        at, last = len(self._prefix), len(self._pieces) - 1
        for i, piece in enumerate(self._pieces):
            if self._anchored and i == last:
                return len(path) - len(piece) >= at and path.endswith(piece)
            at = path.find(piece, at)
            if at < 0:
                return False
            at += len(piece)
        return not self._anchored or at == len(path)


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of one site for one robot."""

    allow: tuple[str, ...] = ()
    disallow: tuple[str, ...] = ()
    delay: float = 0.0  # seconds between two requests
    sitemaps: tuple[str, ...] = ()
    signals: tuple[tuple[str, bool], ...] = ()  # Content-Signal: search, ai-input, ai-train
    _patterns: tuple[_Pattern, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        texts = [(text, True) for text in self.allow] + [(text, False) for text in self.disallow]
        texts.sort(key=lambda rule: -len(rule[0]))  # stable: of two equally long, Allow is first
        object.__setattr__(self, "_patterns", tuple(_Pattern(*rule) for rule in texts))

    def allows(self, target: str) -> bool:
        """Tell whether a path with its query may be fetched.

        The longest matching pattern decides; of two equally long, `Allow`.
        """
        if target == "/robots.txt" or not self.disallow:
            return True
        path = _normalize(target)
        return next((rule.allow for rule in self._patterns if rule.matches(path)), True)


ALLOW_ALL = Rules()
UNREADABLE = Rules(disallow=("/",))  # the file may hold rules that cannot be read now


def product_token(user_agent: str) -> str:
    """Return the name that robots.txt uses for a robot: `kensaku` for `Kensaku/0.1 (+…)`."""
    first = user_agent.strip().partition(" ")[0].partition("/")[0]
    return "".join(c for c in first if c.isascii() and (c.isalpha() or c in "-_")).lower()


def parse(data: bytes, user_agent: str) -> Rules:
    """Return the rules of the groups for `user_agent`, or else of the groups for `*`."""
    own = product_token(user_agent)
    groups: dict[str, _Group] = {own: _Group(), "*": _Group()}
    sitemaps: list[str] = []
    current: list[_Group] = []
    in_agents = False  # several User-agent lines in a row begin one group
    text = data[:MAX_BYTES].removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace")
    for line in text.splitlines():
        key, colon, value = line.partition("#")[0].partition(":")
        key, value = key.strip().lower(), value.strip()
        if not colon:
            continue
        if key == "sitemap":
            if len(sitemaps) < MAX_SITEMAPS:
                sitemaps.append(line.partition(":")[2].strip())  # a URL may hold a '#'
        elif key == "user-agent":
            if not in_agents:
                current = []
            in_agents = True
            group = groups.get("*" if value == "*" else product_token(value))
            if group is not None:
                group.named = True
                current.append(group)
        else:
            in_agents = False
            for group in current:
                group.add(key, value)
    group = groups[own] if groups[own].named else groups["*"]
    return Rules(
        allow=tuple(dict.fromkeys(group.allow)),
        disallow=tuple(dict.fromkeys(group.disallow)),
        delay=group.delay,
        sitemaps=tuple(dict.fromkeys(sitemaps)),
        signals=tuple(group.signals.items()),
    )


class _Group:
    def __init__(self) -> None:
        self.named = False
        self.allow: list[str] = []
        self.disallow: list[str] = []
        self.delay = 0.0
        self.signals: dict[str, bool] = {}

    def add(self, key: str, value: str) -> None:
        if key in ("allow", "disallow"):
            rules = self.allow if key == "allow" else self.disallow
            if value and len(self.allow) + len(self.disallow) < MAX_RULES:
                rules.append(_normalize(value))
        elif key == "crawl-delay":
            try:
                seconds = float(value)
            except ValueError:
                return
            if 0 < seconds <= MAX_DELAY:
                self.delay = seconds
        elif key == "content-signal":
            for part in value.split(",")[:20]:
                name, _, answer = part.partition("=")
                if answer.strip().lower() in ("yes", "no"):
                    self.signals[name.strip().lower()] = answer.strip().lower() == "yes"


def _normalize(path: str) -> str:
    """Return one spelling for each path: `%7E` and `~` are the same, `%2F` and `/` are not."""
    path = path if path.startswith(("/", "*")) else "/" + path
    parts = path.replace("%2f", "%2F").split("%2F")
    return "%2F".join(quote(unquote_to_bytes(part), safe="/*$?=&;:@!'(),+~#[]") for part in parts)
