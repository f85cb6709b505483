"""The small site of these tests, and a crawl of it."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

from kensaku.fetch.crawl.crawl import Crawl
from kensaku.fetch.crawl.plan import Plan
from kensaku.fetch.page_reader import PageReader

ROOT = "http://public.test/"
needs_re2 = pytest.mark.skipif(find_spec("re2") is None, reason="the extra crawl is not installed")


def page(title, *links):
    return f"<title>{title}</title><p>about {title}</p>" + "".join(
        f'<a href="{link}">x</a>' for link in links
    )


def titles(result):
    return sorted(page.title for page in result.results)


@pytest.fixture
def site(web):
    """A root, two chapters, two leaves, and a page elsewhere."""
    web.names["other.test"] = ["8.8.8.8"]
    web.pages |= {
        "public.test/": page("root", "/a", "/b", "http://other.test/far", "/#top", "/logo.png"),
        "public.test/a": page("alpha", "/a/1", "/", "/b"),
        "public.test/b": page("beta", "/b/1"),
        "public.test/a/1": page("alpha one", "/deep"),
        "public.test/b/1": page("beta one"),
        "public.test/deep": page("deep"),
        "other.test/far": page("far", "/further"),
        "other.test/further": page("further"),
    }
    return web


@pytest.fixture
def crawl(fetcher, parser):
    async def run(url=ROOT, *, state=None, resume=False, progress=None, **options):
        plan = Plan(url, **options)
        reader = PageReader(fetcher(), parser)
        return await Crawl(reader, plan, state=state, resume=resume, progress=progress)

    return run
