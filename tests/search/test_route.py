"""Which providers are asked, in which order."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kensaku import Query, Settings
from kensaku.config.providers import ProviderSettings
from kensaku.config.secret import Secret
from kensaku.errors import ConfigError, UnknownName
from kensaku.providers import BUILT_IN, provider_class
from kensaku.search import route as route_module
from kensaku.search.route import Route, plan


def routed(route=None, mode=None, **environ):
    return plan(Settings.load(environ={"KENSAKU_HOME": "/nowhere", **environ}), route, mode)


@pytest.mark.parametrize(
    ("route", "names"),
    [
        ("tavily", ("tavily",)),
        ("tavily,brave,local", ("tavily", "brave", "local")),
        (" Tavily , BRAVE ,, ", ("tavily", "brave")),
        (["tavily", "tavily", "local"], ("tavily", "local")),
        (("exa",), ("exa",)),
    ],
)
def test_a_route_is_a_name_or_a_list(route, names):
    """Written as people write it; nobody is asked twice."""
    assert routed(route).names == names
    if isinstance(route, str):
        assert routed(WEB_SEARCH_PROVIDER=route).names == names


def test_auto_is_those_with_a_key_then_the_keyless_pool_then_local():
    """In the order of the table, and the keyless ones are known as such."""
    route = routed("auto", SERPER_API_KEY="k", BRAVE_API_KEY="k")

    assert route.names[:2] == ("brave", "serper")
    assert route.names[-1] == "local"
    assert route.pool == set(route.names[2:-1])
    assert "tavily" in route.pool
    assert "exa" not in route.names


def test_auto_asks_no_specialist():
    """A GITHUB_TOKEN is in many environments; it must not send every query to GitHub."""
    specialists = {name for name in BUILT_IN if provider_class(name).specialist}
    keys = {provider_class(name).key_variable for name in specialists} - {None}

    route = routed("auto", **dict.fromkeys(keys, "k"))

    assert {"arxiv", "github", "github_issues", "hackernews", "brave_context"} <= specialists
    assert "GITHUB_TOKEN" in keys
    assert not specialists & set(route.names)
    assert routed("auto,arxiv").names[-1] == "arxiv"


def test_auto_without_the_keyless_pool():
    """Who does not want strangers to see the queries says so."""
    route = routed("auto", KENSAKU_KEYLESS="no", TAVILY_API_KEY="k")

    assert route.names == ("tavily", "local")


def test_an_own_searxng_is_configured_by_its_address():
    """It needs no key, and has no address of its own."""
    assert "searxng" not in routed("auto").names
    assert routed("auto", SEARXNG_BASE_URL="http://127.0.0.1:8080").names[0] == "searxng"


def test_auto_leaves_out_what_is_switched_off():
    """`enabled = false` in its section, or by the environment."""
    assert "wikipedia" in routed("auto").names
    assert "wikipedia" not in routed("auto", WIKIPEDIA_ENABLED="0").names


def test_a_specialist_is_one_that_is_switched_on_and_costs_nothing(monkeypatch):
    """Whoever takes money is asked only by name."""
    assert "arxiv" in routed("auto").specialists["papers"]
    assert "arxiv" not in routed("auto", ARXIV_ENABLED="0").specialists["papers"]
    monkeypatch.setattr(provider_class("arxiv"), "price", 0.001)
    assert "arxiv" not in routed("auto").specialists["papers"]


def test_auto_may_stand_among_names():
    """The favourite first, then whoever there is."""
    names = routed("exa,auto", EXA_API_KEY="k", BRAVE_API_KEY="k").names

    assert names[:2] == ("exa", "brave")
    assert names.count("exa") == 1


@pytest.mark.parametrize("route", ["", " , ", [], ()])
def test_an_empty_route_is_refused(route):
    """Nobody to ask is a mistake, not an answer."""
    with pytest.raises(ConfigError):
        routed(route)


@pytest.mark.parametrize("name", sorted(BUILT_IN))
def test_a_misspelt_provider_names_the_nearest(name):
    """One letter too many."""
    with pytest.raises(UnknownName) as refused:
        routed(name + "x")

    assert repr(name) in refused.value.remedy


def test_a_mode_of_the_call_goes_before_that_of_the_settings():
    """And an unknown one names the nearest."""
    assert routed("tavily", KENSAKU_MODE="all").mode == "all"
    assert routed("tavily", "hedge", KENSAKU_MODE="all").mode == "hedge"
    with pytest.raises(UnknownName, match="first"):
        routed("tavily", "frist")


class _Provider:
    """A provider of somebody else, which is configured in one way or another."""

    key_variable, keyless, needs, url = "", False, (), ""
    pooled, is_web, specialist, knows, price = False, True, False, frozenset(), 0.0


@pytest.mark.parametrize("url", ["", "https://api.example"])
@pytest.mark.parametrize("keyless", [False, True])
@pytest.mark.parametrize("key_variable", ["", "ACME_API_KEY"])
@pytest.mark.parametrize("key", ["", "k"])
@pytest.mark.parametrize("base_url", ["", "http://127.0.0.1:1"])
def test_who_counts_as_configured(url, keyless, key_variable, key, base_url, monkeypatch):
    """A key where one is needed; else a key, or the address of an instance of one's own."""
    acme = type(
        "Acme", (_Provider,), {"url": url, "keyless": keyless, "key_variable": key_variable}
    )
    classes = {"acme": acme}
    monkeypatch.setattr(
        route_module, "provider_class", lambda n: classes.get(n) or provider_class(n)
    )
    own = ProviderSettings(keys=(Secret(key),) if key else (), base_url=base_url)
    settings = replace(Settings.load(environ={"KENSAKU_HOME": "/nowhere"}), providers={"acme": own})

    needs_key = bool(key_variable) and not keyless
    own_instance = bool(base_url) and not url
    expected = bool(key) or (not needs_key and own_instance)
    assert ("acme" in plan(settings, "auto").names) is expected


def test_a_route_asks_one_after_the_other_unless_it_says_otherwise():
    """And nobody of it is of the keyless pool."""
    assert Route(("tavily",)) == Route(("tavily",), "first", frozenset())


def test_auto_leaves_out_who_lacks_an_option_that_it_needs():
    """Google needs the number of a search engine besides the key."""
    assert "google" not in routed("auto", GOOGLE_API_KEY="k").names
    assert "google" in routed("auto", GOOGLE_API_KEY="k", GOOGLE_CX="1").names


@pytest.mark.parametrize("topic", ["general", "news"])
def test_a_route_without_specialists_asks_nobody_beside_it(topic):
    """For no intent, with no text, and nobody is waited for."""
    nobody = Route(("tavily",)).beside(Query("papers on otters", topic=topic))

    assert (nobody.intent, nobody.names, nobody.text) == ("general", (), "")
    assert not nobody.asked_for
