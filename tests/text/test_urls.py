"""Addresses: one form for comparing them, their host, and whose domain that is."""

from __future__ import annotations

import pytest

from kensaku.text.urls import canonical, host_name, host_of, in_domain


@pytest.mark.parametrize(
    ("url", "same"),
    [
        ("https://Example.org/a/", "example.org/a"),
        ("http://www.example.org", "example.org"),
        ("https://m.example.org/#top", "example.org"),
        ("https://www.m.example.org/", "example.org"),
        ("https://example.org/A?", "example.org/A"),
        ("https://example.org/a?b=2&a=1", "example.org/a?a=1&b=2"),
        ("https://example.org/a?x=&UTM_Source=x&gclid=1#f", "example.org/a?x="),
        ("https://example.org/a/?utm_medium=x", "example.org/a"),
        ("https://example.org/?q=a%20b", "example.org?q=a+b"),
        ("http://example.org:80/a", "example.org/a"),
        ("https://example.org:443/a?b=1", "example.org/a?b=1"),
        ("https://example.org:8080/a/", "example.org:8080/a"),
        ("https://u@www.example.org/a", "example.org/a"),
        ("ftp://www.example.org/a/", "ftp://www.example.org/a/"),
        ("mailto:ada@example.org", "mailto:ada@example.org"),
    ],
)
def test_two_ways_of_writing_an_address_are_the_same(url: str, same: str) -> None:
    """Of a result that two providers found, one is shown."""
    assert canonical(url) == same


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://www.Example.org/a", "example.org"),
        ("http://example.org", "example.org"),
        ("https://example.org?a", "example.org"),
        ("https://u:p@www.example.org:81/", "example.org"),
        ("https://good.example@evil.example/", "evil.example"),
        ("http://[::1]:80/", "::1"),
        ("mailto:ada@example.org", ""),
        ("http://[::1", ""),
    ],
)
def test_an_address_has_a_host(url: str, host: str) -> None:
    """The one that would be connected to, without `www.`: filters by domain rely on it."""
    assert host_of(url) == host


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (" WWW.Example.org ", "example.org"),
        ("example", ""),
        ("an example.org", ""),
        ("a" * 63 + ".org", "a" * 63 + ".org"),
        ("a" * 64 + ".org", ""),
        ("ab." * 83 + "abcd", "ab." * 83 + "abcd"),
        ("ab." * 83 + "abcde", ""),
    ],
)
def test_a_host_name_is_told_from_other_text(text: str, name: str) -> None:
    """It has at most 253 characters, and 63 between two dots."""
    assert host_name(text) == name


@pytest.mark.parametrize(
    ("host", "domain", "inside"),
    [
        ("example.org", "example.org", True),
        ("a.example.org", "example.org", True),
        ("a.example.org", "*.example.org", True),
        ("example.org", "*.org", True),
        ("anexample.org", "example.org", False),
        ("example.org", "a.example.org", False),
    ],
)
def test_a_host_is_in_its_domain(host: str, domain: str, inside: bool) -> None:
    """The end of a name counts only behind a dot."""
    assert in_domain(host, domain) is inside
