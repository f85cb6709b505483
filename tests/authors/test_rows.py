"""The table of authors: each specification has a row, and what a row names is there."""

from __future__ import annotations

import re
import tomllib

import pytest

from kensaku import compat
from tests import ROOT
from tests.authors.rows import AUTHORS, Author

each = pytest.mark.parametrize("author", AUTHORS, ids=lambda a: a.name)


def test_every_specification_has_a_row():
    """The packages of `kensaku.compat`, by its own docstring."""
    packages = re.findall(r"^(\w+) {2,}", compat.__doc__ or "", re.MULTILINE)

    assert sorted(author.name for author in AUTHORS) == sorted(packages)


@each
def test_what_a_row_names_is_there(author: Author):
    """A row with a path that does not exist would run nothing, and look well."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

    assert set(author.extras.split(",")) <= set(project["optional-dependencies"])
    assert [path for path in author.tests if not (ROOT / "tests" / path).exists()] == []
    assert author.tests
