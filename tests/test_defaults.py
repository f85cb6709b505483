"""The default that the help of a command names is that of the call behind it."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable

import pytest

from kensaku import Kensaku
from kensaku.answers.report.request import ResearchRequest
from kensaku.cli._main import make_parser
from kensaku.fetch import Plan


@pytest.mark.parametrize(
    ("command", "option", "call", "name"),
    [
        ("crawl", "--limit", Plan, "limit"),
        ("crawl", "--timeout", Plan, "timeout"),
        ("answer", "--max-tokens", Kensaku.answer, "max_tokens"),
        ("context", "--max-tokens", Kensaku.context, "max_tokens"),
        ("extract", "--timeout", Kensaku.extract, "timeout"),
        ("research", "--timeout", ResearchRequest, "timeout"),
        ("research", "--effort", ResearchRequest, "model"),
        ("research", "--length", ResearchRequest, "output_length"),
        ("research", "--citations", ResearchRequest, "citation_format"),
    ],
)
def test_the_help_names_the_default_of_the_library(
    command: str, option: str, call: Callable[..., object], name: str
) -> None:
    """People who read the one call the other."""
    (action,) = (a for a in make_parser(command)._actions if option in a.option_strings)
    said = re.search(r"\(default (\w+)\)", str(action.help))
    default = inspect.signature(call).parameters[name].default

    assert said
    assert said[1] == str(default).removesuffix(".0")
