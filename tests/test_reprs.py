"""What may carry a key or what somebody asks is shown by no `repr`: a log or a traceback has it."""

from __future__ import annotations

import pkgutil
from collections.abc import Iterator
from dataclasses import Field, fields, is_dataclass
from importlib import import_module

import kensaku

# Whole packages, so that a new class is looked at by itself.
PACKAGES = (
    "answers",
    "config",
    "fetch",
    "operations",
    "providers",
    "research",
    "search",
    "server",
    "transport",
)
SENT = {"headers", "params", "query_string", "json", "scope"}  # keys are sent there
ASKED = {("research", "input"), ("operations", "query"), ("server", "input")}
PAGES = {"body", "raw", "data"}  # as bytes: megabytes of somebody else's text


def test_no_repr_shows_what_may_hold_a_key_a_question_or_a_page():
    """`Request(headers={'Authorization': …})` in a traceback is a key in a log."""
    shown = [
        f"{package}: {owner}.{f.name}"
        for package, owner, f in _fields()
        if f.repr
        and (
            f.name in SENT or (package, f.name) in ASKED or (f.name in PAGES and f.type == "bytes")
        )
    ]

    assert shown == []


def test_the_fields_are_found():
    """Or the test above would hold for nothing."""
    found = {(owner, f.name) for _, owner, f in _fields()}

    assert {("Request", "headers"), ("Asked", "query_string"), ("Reply", "body")} <= found


def _fields() -> Iterator[tuple[str, str, Field[object]]]:
    """Package, class and field of every dataclass."""
    for package in PACKAGES:
        module = import_module(f"{kensaku.__name__}.{package}")
        names = [module.__name__]
        if path := getattr(module, "__path__", None):
            names += [m.name for m in pkgutil.walk_packages(path, f"{module.__name__}.")]
        for name in names:
            for value in vars(import_module(name)).values():
                if isinstance(value, type) and is_dataclass(value) and value.__module__ == name:
                    yield from ((package, value.__name__, f) for f in fields(value))
