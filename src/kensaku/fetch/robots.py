"""robots.txt as RFC 9309 has it: groups, longest match, `*` and `$`. Pure and linear.

    text → parse(text, agent) → Rules → .allows("/path?query"), .delay, .sitemaps, .signals

The standard library's parser knows no wildcards and takes the first match, not the longest.
"""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import quote, unquote_to_bytes

MAX_BYTES = 500 * 1024  # what RFC 9309 wants read at least; the rest is not looked at
MAX_RULES = 10_000
MAX_SITEMAPS = 100
MAX_DELAY = 3600.0


@dataclass(frozen=True, slots=True)
class Rules:
    """What one site asks of one robot."""

    allow: tuple[str, ...] = ()
    disallow: tuple[str, ...] = ()
    delay: float = 0.0  # seconds between two requests, as the site asks
    sitemaps: tuple[str, ...] = ()
    signals: tuple[tuple[str, bool], ...] = ()  # Content-Signal: search, ai-input, ai-train

    def allows(self, target: str) -> bool:
        """Whether a path with its query may be fetched. The longest rule wins; of two, `Allow`."""
        if target == "/robots.txt":
            return True
        path = _normal(target)
        no = max((len(rule) for rule in self.disallow if _matches(rule, path)), default=-1)
        return no < 0 or no <= max(
            (len(rule) for rule in self.allow if len(rule) >= no and _matches(rule, path)),
            default=-1,
        )


ALL = Rules()
UNREADABLE = Rules(disallow=("/",))  # it may hold rules that we cannot see now


def product(user_agent: str) -> str:
    """The token that robots.txt names a robot by: `Kensaku/0.1 (+…)` is `kensaku`."""
    first = user_agent.strip().partition(" ")[0].partition("/")[0]
    return "".join(c for c in first if c.isascii() and (c.isalpha() or c in "-_")).lower()


def parse(data: bytes, user_agent: str) -> Rules:
    """The rules for `user_agent`: of its own groups, or else of the groups for everyone."""
    own = product(user_agent)
    groups: dict[str, _Group] = {own: _Group(), "*": _Group()}
    sitemaps: list[str] = []
    now: list[_Group] = []
    naming = False
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
            if not naming:
                now = []
            naming = True
            group = groups.get("*" if value == "*" else product(value))
            if group is not None:
                group.named = True
                now.append(group)
        else:
            naming = False
            for group in now:
                group.take(key, value)
    chosen = groups[own] if groups[own].named else groups["*"]
    return Rules(
        allow=tuple(dict.fromkeys(chosen.allow)),
        disallow=tuple(dict.fromkeys(chosen.disallow)),
        delay=chosen.delay,
        sitemaps=tuple(dict.fromkeys(sitemaps)),
        signals=tuple(chosen.signals.items()),
    )


class _Group:
    def __init__(self) -> None:
        self.named = False
        self.allow: list[str] = []
        self.disallow: list[str] = []
        self.delay = 0.0
        self.signals: dict[str, bool] = {}

    def take(self, key: str, value: str) -> None:
        if key in ("allow", "disallow"):
            rules = self.allow if key == "allow" else self.disallow
            if value and len(self.allow) + len(self.disallow) < MAX_RULES:
                rules.append(_normal(value))
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


def _normal(path: str) -> str:
    """One spelling for each path: `%7E` and `~` are the same, `%2F` and `/` are not."""
    path = path if path.startswith(("/", "*")) else "/" + path
    parts = path.replace("%2f", "%2F").split("%2F")
    return "%2F".join(quote(unquote_to_bytes(part), safe="/*$?=&;:@!'(),+~#[]") for part in parts)


def _matches(rule: str, path: str) -> bool:
    ends = rule.endswith("$")
    first, *rest = (rule[:-1] if ends else rule).split("*")
    if not path.startswith(first):
        return False
    at = len(first)
    for i, piece in enumerate(rest):
        if ends and i == len(rest) - 1:
            return len(path) - len(piece) >= at and path.endswith(piece)
        at = path.find(piece, at)
        if at < 0:
            return False
        at += len(piece)
    return not ends or at == len(path)
