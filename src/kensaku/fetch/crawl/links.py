"""Which links a crawl follows: one spelling for each page, no traps, the best first. Pure.

link → normal() → Scope.takes() → trap()? → relevance → the frontier
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit, urlunsplit

from kensaku.fetch.crawl.patterns import Patterns

MAX_CHARS = 2_000
MAX_SEGMENTS = 16
MAX_PARAMETERS = 20
SAME_SEGMENT = 3  # /a/b/a/b/a: relative links that feed on themselves

# Parameters that name a visit or a campaign, not a page.
_NOISE = frozenset(
    "jsessionid phpsessid aspsessionid sid sessionid session_id session zenid oscsid cftoken cfid "
    "fbclid gclid dclid msclkid yclid igshid mc_cid mc_eid _ga _gl ref_src".split()
)
_FILES = (
    ".jpg", ".jpeg", ".png", ".gif", ".webp", ".svg", ".ico", ".css", ".js", ".mjs", ".woff",
    ".woff2", ".ttf", ".mp3", ".mp4", ".webm", ".avi", ".mov", ".zip", ".gz", ".tar", ".7z",
    ".exe", ".dmg", ".iso", ".whl", ".jar", ".bin", ".apk",
)  # fmt: skip


def normal(url: str) -> str | None:
    """One spelling for each page: no fragment, no visit, no campaign. None when it is no page."""
    if len(url) > MAX_CHARS:
        return None
    try:
        parts = urlsplit(url.strip())
        host, port = parts.hostname, parts.port
    except ValueError:
        return None
    if parts.scheme not in ("http", "https") or not host:
        return None
    usual = {"http": 80, "https": 443}[parts.scheme]
    netloc = f"[{host}]" if ":" in host else host
    if port not in (None, usual):
        netloc = f"{netloc}:{port}"
    path = "/".join(s for s in _without_matrix(parts.path))
    query = parts.query
    if query.count("&") > MAX_PARAMETERS:
        return None
    if query:
        pairs = parse_qsl(query, keep_blank_values=True)
        kept = [(n, v) for n, v in pairs if not _noise(n)]
        if len(kept) != len(pairs):
            query = urlencode(kept)
    return urlunsplit((parts.scheme, netloc, path or "/", query, ""))


def trap(url: str) -> bool:
    """Whether a URL looks like one of endlessly many: deep, repeating itself, or a file."""
    parts = urlsplit(url)
    segments = [s for s in parts.path.split("/") if s]
    if len(segments) > MAX_SEGMENTS or any(
        segments.count(s) >= SAME_SEGMENT for s in set(segments)
    ):
        return True
    return parts.path.lower().endswith(_FILES)


@dataclass(frozen=True)
class Scope:
    """What belongs to a crawl: the site, and what was selected or excluded."""

    root: str  # host of the first page, without www.
    select_paths: Patterns
    exclude_paths: Patterns
    select_domains: Patterns
    exclude_domains: Patterns
    allow_external: bool

    @classmethod
    def of(
        cls,
        url: str,
        select_paths: Sequence[str] | None,
        exclude_paths: Sequence[str] | None,
        select_domains: Sequence[str] | None,
        exclude_domains: Sequence[str] | None,
        allow_external: bool,
    ) -> Scope:
        host = (urlsplit(url).hostname or "").removeprefix("www.")
        return cls(
            host,
            Patterns(select_paths, "select_paths"),
            Patterns(exclude_paths, "exclude_paths"),
            Patterns(select_domains, "select_domains"),
            Patterns(exclude_domains, "exclude_domains"),
            allow_external,
        )

    def inside(self, url: str) -> bool:
        """Whether a URL is of the site: its host, or one below it."""
        host = (urlsplit(url).hostname or "").removeprefix("www.")
        return host == self.root or host.endswith("." + self.root)

    def takes(self, url: str) -> bool:
        """Whether a link is one of those that were asked for."""
        parts = urlsplit(url)
        host, path = parts.hostname or "", parts.path or "/"
        if not self.inside(url) and not (self.allow_external or self.select_domains):
            return False
        if self.select_domains and not self.select_domains.find(host):
            return False
        if self.select_paths and not self.select_paths.find(path):
            return False
        return not (self.exclude_domains.find(host) or self.exclude_paths.find(path))


class Wish:
    """What a crawl is told to look for, in words. It compares words, and understands nothing:
    "pages about pricing" finds pages with the word pricing, in the language it was written in."""

    def __init__(self, instructions: str | None) -> None:
        from kensaku.index.languages import guess_language
        from kensaku.index.tokens import query_terms

        text = (instructions or "").strip()
        # Both sides are read in one language, that of the wish: stems must meet.
        self._language = guess_language(text)
        self._terms = dict(query_terms(text, (self._language,))) if text else {}
        self._whole = sum(self._terms.values())

    def __bool__(self) -> bool:
        return self._whole > 0

    def of_link(self, url: str) -> float:
        """How much of the wish stands in the address, 0 to 1."""
        return self._share(unquote(urlsplit(url).path)) if self else 0.0

    def of_text(self, title: str, text: str) -> float:
        """How much of the wish stands in the page, 0 to 1."""
        return self._share(f"{title}\n{text[:50_000]}") if self else 0.0

    def _share(self, text: str) -> float:
        from kensaku.index.tokens import document_terms

        found = document_terms(text, self._language)
        hits = [w for term, w in self._terms.items() if term in found.words or term in found.pairs]
        return sum(hits) / self._whole


def choose(
    links: Iterable[str], scope: Scope, wish: Wish, breadth: int, *, look_at: int = 5_000
) -> list[tuple[str, float]]:
    """The `breadth` best links of a page, each with how well it fits: those of the site first."""
    found: dict[str, float] = {}
    for seen, link in enumerate(links):
        if seen >= look_at:
            break
        url = normal(link)
        if url is None or url in found or trap(url) or not scope.takes(url):
            continue
        found[url] = wish.of_link(url) + (1.0 if scope.inside(url) else 0.0)
    return sorted(found.items(), key=lambda item: -item[1])[:breadth]


def _without_matrix(path: str) -> Iterable[str]:
    for segment in path.split("/"):
        name, semicolon, rest = segment.partition(";")
        yield name if semicolon and _noise(rest.partition("=")[0]) else segment


def _noise(name: str) -> bool:
    name = name.lower()
    return name in _NOISE or name.startswith("utm_")
