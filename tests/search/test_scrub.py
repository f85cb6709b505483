"""What should not leave in a query."""

from __future__ import annotations

from typing import Any

import pytest

from kensaku import Document
from kensaku.search.scrub import scrub

ALL = ("keys", "emails", "hosts")
KEY = "sk-proj-4fQ9zX81bLmN0pRt7vWy"


@pytest.mark.parametrize(
    "text",
    [
        f"why does {KEY} fail",
        "error with AKIAIOSFODNN7EXAMPLE in boto",
        "ghp_16C7e42F292c6912E7710c838347Ae178B4a invalid",
        "curl Authorization: Bearer abcdEFGH0123456789ijklMNOP failing",
        "postgres://admin:hunter2@db/prod cannot connect",
        "decode eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N",
        "-----BEGIN RSA PRIVATE KEY----- MIIEowIBAAKCAQEA error",
        "token 9aB3xK7mQ2wE5rT8yU1iO4pL6jH0gF3d rejected",
        "tvly-dev-Ab12Cd34Ef56Gh78 の使い方",
    ],
)
def test_keys_are_found(text: str) -> None:
    """In whatever service's form, also in Japanese queries."""
    found = scrub(text, ["keys"])
    assert found.found == ("keys",)
    assert not any(len(w) > 15 and any(c.isdigit() for c in w) for w in found.text.split())


@pytest.mark.parametrize(
    "text",
    [
        "python sort list key=lambda x",
        "sk-learn-contrib imbalanced-learn install",
        "pk_user_id foreign key constraint postgres",
        "AbstractSingletonProxyFactoryBean2Implementation example",
        "commit 9fceb02d0ae598e95dc970b74767f19372d61af8 linux",
        "hf_hub_download local_files_only",
        "how to set API key in environment variable",
        "パスワードの安全な保存方法",
        "https://en.wikipedia.org/wiki/Special:Search?search=otter",
        "UTF-8 BOM 0xEF 0xBB 0xBF",
        "RTX4090 vs RX7900XTX benchmark 2026",
    ],
)
def test_ordinary_queries_are_left_alone(text: str) -> None:
    """A scrubber that breaks searches is switched off."""
    assert scrub(text, ["keys"]).text == text
    assert scrub(text, ALL).found == ()


@pytest.mark.parametrize(
    ("text", "kind", "left"),
    [
        ("who is ann.lee@example.com at acme", "emails", "who is at acme"),
        ("build01.corp disk full", "hosts", "disk full"),
        ("nginx 10.2.3.4 timeout", "hosts", "nginx timeout"),
        ("http://wiki/page 表示されない", "hosts", "http:// /page 表示されない"),
        ("ping 8.8.8.8 works", "hosts", "ping 8.8.8.8 works"),
    ],
)
def test_other_kinds_are_found_when_they_are_named(text: str, kind: str, left: str) -> None:
    """And only then."""
    assert scrub(text, [kind]).text == left
    assert scrub(text, ["keys"]).text == text


async def test_the_local_index_gets_the_query_as_it_is(make_client: Any) -> None:
    """It does not leave."""
    client = make_client("local", scrub_action="block")
    await client.index.add([Document(url="https://a.example/", text=f"why {KEY} does not work")])

    response = await client.search(f"why does {KEY} fail")

    assert [hit.url for hit in response.hits] == ["https://a.example/"]
