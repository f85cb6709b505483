"""Replies of the services, in the shapes that their documentation shows; the words are ours.

Each row: the page that was asked for, the requests it takes, and what a reader then finds. Every
reply hides words from people ("hidden words"), which no model may read.
"""

from __future__ import annotations

import json
from typing import NamedTuple

HIDDEN = '<!-- hidden words --><span style="display:none">hidden words</span>'


class Case(NamedTuple):
    name: str
    page: str
    replies: dict[str, tuple[str, bytes]]  # path on the service → content type, body
    words: tuple[str, ...]


def _json(value: object) -> tuple[str, bytes]:
    return "application/json; charset=utf-8", json.dumps(value).encode()


def _atom(title: str, *entries: str) -> tuple[str, bytes]:
    feed = (
        f'<feed xmlns="http://www.w3.org/2005/Atom"><title>{title}</title>{"".join(entries)}</feed>'
    )
    return "application/atom+xml; charset=UTF-8", b'<?xml version="1.0"?>' + feed.encode()


def _reddit_entry(name: str, title: str, html: str) -> str:
    escaped = html.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return (
        f"<entry><author><name>/u/{name}</name></author><title>{title}</title>"
        f'<content type="html">{escaped}</content><updated>2026-05-01T10:00:00+00:00</updated></entry>'
    )


REDDIT = Case(
    "reddit",
    "http://www.reddit.com/r/otters/comments/1abc2d/do_they_sleep/?sort=new",
    {
        "/r/otters/comments/1abc2d/.rss": _atom(
            "Do they sleep? : otters",
            _reddit_entry("ann", "Do they sleep?", f'<div class="md"><p>Where?{HIDDEN}</p></div>'),
            _reddit_entry("bob", "/u/bob on Do they sleep?", "<p>In kelp, on their backs.</p>"),
        )
    },
    ("Do they sleep? : otters", "/u/ann, 2026-05-01", "Where?", "In kelp, on their backs."),
)
SUBREDDIT = REDDIT._replace(
    page="http://old.reddit.com/r/otters/",
    replies={"/r/otters/.rss": REDDIT.replies["/r/otters/comments/1abc2d/.rss"]},
)
HACKERNEWS = Case(
    "hackernews",
    "http://news.ycombinator.com/item?id=8863",
    {
        "/api/v1/items/8863": _json(
            {
                "id": 8863, "created_at": "2007-04-04T19:16:40.000Z", "author": "dh", "points": 104,
                "type": "story", "title": "My app", "url": "https://a.example/app", "text": None,
                "children": [
                    {"id": 1, "author": "ann", "created_at": "2007-04-05T00:00:00.000Z",
                     "text": f"<p>Throw away your stick.{HIDDEN}", "points": None, "children": [
                         {"id": 2, "author": "bob", "created_at": "2007-04-06T00:00:00.000Z",
                          "text": "No &amp; never", "points": None, "children": []}]},
                ],
            }
        )
    },
    ("My app", "https://a.example/app", "104 points", "Throw away your stick.", "No & never"),
)  # fmt: skip
STACKEXCHANGE = Case(
    "stackexchange",
    "http://stackoverflow.com/questions/11227809/why-is-it-faster",
    {
        "/2.3/questions/11227809": _json(
            {"items": [{"title": "Why is it &quot;faster&quot;?", "body": f"<p>A loop.{HIDDEN}</p>",
                        "score": 27, "creation_date": 1340805096, "owner": {"display_name": "Gor"}}],
             "has_more": False, "quota_max": 300, "quota_remaining": 299}
        ),
        "/2.3/questions/11227809/answers": _json(
            {"items": [{"body": "<p>Branch prediction.</p>", "score": 34, "is_accepted": True,
                        "creation_date": 1340805402, "owner": {"display_name": "Myst"}}],
             "has_more": False, "quota_max": 300, "quota_remaining": 298}
        ),
    },
    ('Why is it "faster"?', "Gor, 2012-06-27, score 27", "A loop.", "accepted", "Branch prediction."),
)  # fmt: skip
WIKIPEDIA = Case(
    "wikipedia",
    "http://en.m.wikipedia.org/wiki/AC/DC",
    {
        "/w/rest.php/v1/page/AC%2FDC/html": (
            "text/html; charset=utf-8",
            b"<!DOCTYPE html><html><head><title>AC/DC</title></head><body><section><p>They are a "
            + b"band, formed in Sydney in 1973 by two brothers, and they still play today.</p>"
            + HIDDEN.encode()
            + b"</section></body></html>",
        )
    },
    ("AC/DC", "formed in Sydney in 1973"),
)
ARXIV = Case(
    "arxiv",
    "http://arxiv.org/pdf/1706.03762v7",
    {
        "/api/query": _atom(
            "arXiv Query",
            "<entry><id>http://arxiv.org/abs/1706.03762v7</id><title>Attention\n  Is All</title>"
            "<summary>Models a &lt; b\n are based on attention.</summary>"
            "<published>2017-06-12T17:57:34Z</published><author><name>Ann A</name></author>"
            "<author><name>Bob B</name></author></entry>",
        )
    },
    ("Attention Is All", "Ann A, Bob B, 2017-06-12", "Models a < b are based on attention."),
)
GITHUB = Case(
    "github",
    "http://github.com/otters/kelp/blob/main/docs/a%20b.md",
    {
        "/otters/kelp/main/docs/a%20b.md": (
            "text/plain; charset=utf-8", b"# Kelp\n\nA forest. <!-- hidden words -->\n"
        )
    },
    ("Kelp", "A forest."),
)  # fmt: skip
README = GITHUB._replace(
    page="http://github.com/otters/kelp",
    replies={"/otters/kelp/HEAD/README.md": next(iter(GITHUB.replies.values()))},
)
GITHUB_ISSUES = Case(
    "github_issues",
    "http://github.com/otters/kelp/issues/7",
    {
        "/repos/otters/kelp/issues/7": _json(
            {"number": 7, "title": "It sinks", "state": "open", "user": {"login": "ann"},
             "created_at": "2026-01-02T03:04:05Z", "body_html": f"<p>To the ground.{HIDDEN}</p>"}
        ),
        "/repos/otters/kelp/issues/7/comments": _json(
            [{"user": None, "created_at": "2026-01-03T00:00:00Z", "body_html": "<p>Tie it up.</p>"}]
        ),
    },
    ("It sinks #7, open", "ann, 2026-01-02", "To the ground.", "Tie it up."),
)  # fmt: skip
SITES = (
    REDDIT, SUBREDDIT, HACKERNEWS, STACKEXCHANGE, WIKIPEDIA, ARXIV, GITHUB, README, GITHUB_ISSUES
)  # fmt: skip

READER = (
    "text/plain; charset=utf-8",
    b"Title: Otters\n\nURL Source: http://public.test/page\n\nMarkdown Content:\n"
    b"They sleep in kelp. <!-- hidden words -->\n",
)
READER_FAILED = (
    "text/plain; charset=utf-8",
    b"Title: \n\nURL Source: http://public.test/page\n\nWarning: Target URL returned error 404: "
    b"Not Found\n\nMarkdown Content:\nNot Found\n",
)


def available(
    stamp: str = "20240501120000", status: str = "200", url: str = ""
) -> tuple[str, bytes]:
    closest = {"available": True, "status": status, "timestamp": stamp, "url": url}
    return _json({"url": "http://public.test/page", "archived_snapshots": {"closest": closest}})


NOT_AVAILABLE = _json({"url": "http://public.test/page", "archived_snapshots": {}})
SNAPSHOT = (
    "text/html; charset=utf-8",
    f"<html><title>Otters</title><body><article><p>They slept in kelp, in those days.{HIDDEN}</p>"
    "</article></body></html>".encode(),
)  # fmt: skip
