"""docs/install.md and the table of cases say the same. The cases themselves: `make test-installed`."""

from __future__ import annotations

import re
import shlex
import tomllib

import pytest

from kensaku.cli._main import COMMANDS, make_parser
from tests import ROOT
from tests.installed import extras, recipes
from tests.installed.cases import CASES
from tests.installed.run import GROUPS

PAGE = (ROOT / "docs/install.md").read_text(encoding="utf-8")
TYPED = re.findall(r"^\$ (.+)", PAGE, re.MULTILINE)


PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = PAGE.partition("## Extras")[2].partition("\n## ")[0]
PROOF = re.compile(r'`make test-installed args="?([\w -]+)"?`')


def proofs(text: str) -> set[str]:
    """The cases and groups that a text names."""
    return {name for names in PROOF.findall(text) for name in names.split()}


def test_every_case_proves_a_row():
    """A way that is tested is one that people are told of, and the other way round."""
    named = {case.name for case in [*CASES, *extras.cases()]}

    assert proofs(PAGE) == named | {"recipes"}
    assert "recipes" in GROUPS


def test_every_extra_is_proved_as_it_is_installed():
    """By a row of its own, or by the recipe of its framework: elsewhere everything is installed."""
    rows = {extra.name for extra in extras.EXTRAS} | {"agui"}  # `server` uses it
    lines = "\n".join(recipes.lines().values())
    by_recipe = {
        n for found in re.findall(r"kensaku-search\[([^]]+)", lines) for n in found.split(",")
    }

    for line in EXTRAS.splitlines():
        if not line.startswith("| `"):
            continue
        proved_by = proofs(line)
        for name in re.findall(r"`([\w-]+)`", line.split("|")[1]):
            if "recipes" in proved_by:
                assert name in by_recipe
            else:
                assert name in rows
                assert f"extra-{name.replace('agui', 'server')}" in proved_by


@pytest.mark.parametrize("case", [c for c in CASES if c.install], ids=lambda c: c.name)
def test_a_case_installs_by_the_line_that_the_page_prints(case):
    """But for `--quiet`; what a case does besides, such as fetching npm packages, is its own."""
    for command in case.install.split(" && "):
        words = command.replace(" --quiet", "")
        if words.startswith(("npm ", "make -C")):
            continue
        assert words in TYPED, words


def test_every_extra_stands_in_the_table_once():
    """An extra that nobody is told of is never installed."""
    named = [
        n
        for row in EXTRAS.splitlines()
        if row.startswith("| `")
        for n in re.findall(r"`([\w-]+)`", row.split("|")[1])
    ]

    assert sorted(named) == sorted(PROJECT["optional-dependencies"])


def test_standard_is_what_the_table_says():
    """The row lists the extras that it stands for."""
    meant = PROJECT["optional-dependencies"]["standard"][0].partition("[")[2].rstrip("]").split(",")
    row = next(line for line in PAGE.splitlines() if line.startswith("| `standard` |"))

    assert re.findall(r"`(\w+)`", row.split("|")[2]) == meant


def test_the_commands_in_the_container_are_commands_of_ours():
    """`docker compose run` hands the words behind the service to `kensaku`."""
    files = ["compose.yaml", "compose.cluster.yaml", "docs/install.md", "docs/server.md"]
    text = "\n".join((ROOT / name).read_text(encoding="utf-8") for name in files)
    run = re.findall(r"docker compose [^`\n]*run --rm kensaku ([^`\n]+)", text)
    run += re.findall(r"docker compose exec kensaku kensaku ([^`\n]+)", text)

    assert len(run) >= 6
    for line in run:
        command, *words = shlex.split(line)
        assert command in COMMANDS
        make_parser(command).parse_args(words)
