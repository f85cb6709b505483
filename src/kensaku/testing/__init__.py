"""Fakes and contracts for your own tests: no network, no keys, no mocks.

FakeUpstream   a real HTTP server on loopback that speaks every provider's wire format
Sample         a provider's wire format in one JSON file: rows, a row, a reply, an empty reply
faults         what can go wrong: `status`, `hang`, `reset`, `half`, `html`, …
Cassette       searches and fetches, recorded once and replayed without a network
ProviderContract   what every provider must do; a class of tests to subclass (needs pytest)
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

_HOMES = {
    "Cassette": "cassette",
    "FakeUpstream": "upstream",
    "Fault": "faults",
    "ProviderContract": "contract",
    "Sample": "sample",
    "Seen": "_wire",
    "faults": "",
    "load_sample": "sample",
}

__all__ = [
    "Cassette",
    "FakeUpstream",
    "Fault",
    "ProviderContract",
    "Sample",
    "Seen",
    "faults",
    "load_sample",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home = _HOMES[name]
    return (
        getattr(import_module(f"{__name__}.{home}"), name)
        if home
        else import_module(f"{__name__}.{name}")
    )


def __dir__() -> list[str]:
    return sorted(__all__)
