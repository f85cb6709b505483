"""The samples are what services send, and say how that is known."""

from __future__ import annotations

import json
import re
from typing import get_args
from urllib.parse import urlsplit

import pytest

from kensaku.models import Hit
from kensaku.providers import provider_class
from kensaku.providers.base import KnownBy
from kensaku.testing import load_sample
from kensaku.testing.sample import built_in_samples

every_sample = pytest.mark.parametrize("name", built_in_samples())


@every_sample
def test_a_sample_says_how_it_is_known(name):
    """A reply that we invented agrees with our reader by nature."""
    sample = load_sample(name)

    for reply in (sample, *sample.also):
        assert reply.known_by in get_args(KnownBy)
        assert reply.source


@every_sample
def test_a_provider_and_its_sample_name_the_same_source(name):
    """The page of providers shows what the class says."""
    cls, sample = provider_class(name), load_sample(name)

    assert (cls.known_by, cls.known_source or cls.docs) == (sample.known_by, sample.source)


@every_sample
def test_no_result_of_a_sample_can_be_reached(name):
    """Whoever opens a result of the fake upstream in a test sends nothing to anybody."""
    sample = load_sample(name)
    hosts = {
        urlsplit(address).hostname
        for reply in (sample, *sample.also)
        for address in re.findall(r"https?://[^\s\"'<>\\)]+", json.dumps(reply.body))
    }

    assert [host for host in hosts if not host.endswith((".example", ".test"))] == []


def test_a_hit_without_a_date_has_none_in_seconds():
    """Neither a null nor a zero is a date."""
    (row,) = load_sample("mojeek").with_hits([Hit("https://a.example/", "A")])["response"][
        "results"
    ]

    assert "pdate" not in row
