"""Which links a crawl follows: one spelling for each page, no traps, the best first. Pure.

link → normalize() → is_trap()? → Scope.includes()? → Relevance → frontier
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit, urlunsplit

from kensaku.fetch.crawl.patterns import Patterns
from kensaku.text.languages import guess_language

MAX_CHARS = 2_000
MAX_SEGMENTS = 16
MAX_PARAMETERS = 20
SAME_SEGMENT = 3  # /a/b/a/b/a: relative links that feed on themselves

# Query parameters that name a session or a campaign, not a page.
_TRACKING = frozenset(
    "jsessionid phpsessid aspsessionid sid sessionid session_id session zenid oscsid cftoken cfid "
    "fbclid gclid dclid msclkid yclid igshid mc_cid mc_eid _ga _gl ref_src".split()
)
_FILE_SUFFIXES = (
    ".jpg", ".jpeg", ".png", ".gif", ".webp", ".svg", ".ico", ".css", ".js", ".mjs", ".woff",
    ".woff2", ".ttf", ".mp3", ".mp4", ".webm", ".avi", ".mov", ".zip", ".gz", ".tar", ".7z",
    ".exe", ".dmg", ".iso", ".whl", ".jar", ".bin", ".apk",
)  # fmt: skip


def normalize(url: str) -> str | None:
    """Return one spelling for each page: no fragment, session or campaign. None when it is none."""
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
    path = _strip_session(parts.path)
    query = parts.query
    if query.count("&") > MAX_PARAMETERS:
        return None
    if query:
        pairs = parse_qsl(query, keep_blank_values=True)
        own = [(n, v) for n, v in pairs if not _is_tracking(n)]
        if len(own) != len(pairs):
            query = urlencode(own)
    return urlunsplit((parts.scheme, netloc, path or "/", query, ""))


def is_trap(url: str) -> bool:
    """Tell whether a URL is too deep, repeats its own segments, or names a file."""
    parts = urlsplit(url)
    segments = [s for s in parts.path.split("/") if s]
    if len(segments) > MAX_SEGMENTS or any(
        segments.count(s) >= SAME_SEGMENT for s in set(segments)
    ):
        return True
    return parts.path.lower().endswith(_FILE_SUFFIXES)


@dataclass(frozen=True)
class Scope:
    """The URLs that belong to a crawl: the site, and the patterns that select or exclude."""

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

    def is_inside(self, url: str) -> bool:
        """Tell whether a URL is on the site: its host, or a subdomain."""
        host = (urlsplit(url).hostname or "").removeprefix("www.")
        return host == self.root or host.endswith("." + self.root)

    def includes(self, url: str) -> bool:
        """Tell whether a link passes the patterns."""
        parts = urlsplit(url)
        host, path = parts.hostname or "", parts.path or "/"
        if not self.is_inside(url) and not (self.allow_external or self.select_domains):
            return False
        if self.select_domains and not self.select_domains.find(host):
            return False
        if self.select_paths and not self.select_paths.find(path):
            return False
        return not (self.exclude_domains.find(host) or self.exclude_paths.find(path))


class Relevance:
    """Score links and texts by the words they share with a crawl's instructions.

    Only words are compared: "pages about pricing" finds pages with the word "pricing", in the
    language of the instructions.
    """

    def __init__(self, instructions: str | None) -> None:
        from kensaku.text.tokens import query_terms

        text = (instructions or "").strip()
        # Both sides are stemmed in one language, so that stems are comparable.
        self._language = guess_language(text)
        self._terms = dict(query_terms(text, (self._language,))) if text else {}
        self._total_weight = sum(self._terms.values())

    def __bool__(self) -> bool:
        return self._total_weight > 0

    def of_link(self, url: str) -> float:
        """Return the weight of the instructions' words in the URL's path, 0 to 1."""
        return self._share(unquote(urlsplit(url).path)) if self else 0.0

    def of_text(self, title: str, text: str) -> float:
        """Return the weight of the instructions' words in the page, 0 to 1."""
        return self._share(f"{title}\n{text[:50_000]}") if self else 0.0

    def _share(self, text: str) -> float:
        from kensaku.text.tokens import document_terms

        own = document_terms(text, self._language)
        shared = [w for term, w in self._terms.items() if term in own.words or term in own.pairs]
        return sum(shared) / self._total_weight


def best_links(
    links: Iterable[str], scope: Scope, relevance: Relevance, breadth: int, *, look_at: int = 5_000
) -> list[tuple[str, float]]:
    """Return the `breadth` best links of a page with their scores, those of the site first."""
    scores: dict[str, float] = {}
    for link in islice(links, look_at):
        url = normalize(link)
        if url is None or url in scores or is_trap(url) or not scope.includes(url):
            continue
        scores[url] = relevance.of_link(url) + (1.0 if scope.is_inside(url) else 0.0)
    return sorted(scores.items(), key=lambda item: -item[1])[:breadth]


def _strip_session(path: str) -> str:
    """Remove matrix parameters that name a session: `/a;jsessionid=1/b` is `/a/b`."""
    segments = []
    for segment in path.split("/"):
        name, semicolon, rest = segment.partition(";")
        segments.append(name if semicolon and _is_tracking(rest.partition("=")[0]) else segment)
    return "/".join(segments)


def _is_tracking(name: str) -> bool:
    name = name.lower()
    return name in _TRACKING or name.startswith("utm_")
