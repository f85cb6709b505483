"""Texts, pages and hits that several tests use."""

from __future__ import annotations

from kensaku.models import Hit
from kensaku.testing import FakeUpstream

OTTERS = (
    "Sea otters hold hands while they sleep, so that the current does not part them. "
    "They wrap themselves in kelp and float on their backs through the night."
)
RAKKO = "ラッコは眠るときに手をつなぎます。流されないように海藻を体に巻きつけることもあります。"
HITS = [
    Hit(url="https://a.example/1", title="Sleep", content=OTTERS, score=0.9),
    Hit(url="https://b.example/2", title="ラッコ", content=RAKKO, score=0.8),
]


def page(title: str, text: str = OTTERS, *links: str) -> str:
    """An HTML page with an article and links below it."""
    anchors = "".join(f'<p>See also <a href="{link}">{link}</a>.</p>' for link in links)
    return (
        f"<!doctype html><html lang=en><head><title>{title}</title></head><body><article>"
        f"<h1>{title}</h1><p>{text}</p><p>{text[::-1]}</p>{anchors}</article></body></html>"
    )


def fetch_count(up: FakeUpstream, path: str) -> int:
    """How often a page was fetched."""
    return sum(seen.target == path for seen in up.requests)
