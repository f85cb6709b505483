"""The documentation is true: it is generated, complete, and its code runs."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from kensaku.testing import FakeUpstream
from tests import ROOT

PAGES = [ROOT / "README.md", ROOT / "docs" / "context.md", ROOT / "docs" / "routes.md"]
REQUIREMENTS = ROOT / "docs" / "specifications" / "requirements.md"


def _blocks(page: Path) -> list[str]:
    return re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)


def test_the_generated_pages_are_current():
    """A setting that is not in the documentation does not exist for anybody."""
    done = subprocess.run(
        [sys.executable, ROOT / "docs" / "generate.py", "--check"], capture_output=True, text=True
    )

    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("page", [p for p in PAGES if p.name != "routes.md"], ids=lambda p: p.name)
def test_the_code_of_a_page_runs(page, tmp_path):
    """Whoever copies an example gets what the page says."""
    code = _blocks(page)
    assert code
    with FakeUpstream.in_thread() as up:
        env = {**os.environ, **up.environment("tavily", rate="9999/s")}
        env |= {"KENSAKU_HOME": str(tmp_path), "WEB_SEARCH_PROVIDER": "tavily"}
        for block in code:
            block = block.replace("how do I cancel an asyncio task", "river otter")
            block = block.replace("Request that this task cancel itself", "extinct")
            done = subprocess.run(
                [sys.executable, "-c", block], env=env, capture_output=True, text=True
            )
            assert done.returncode == 0, done.stderr
            assert "found" in done.stdout or "[1]" in done.stdout


def test_every_link_of_the_documentation_leads_somewhere():
    """A guide that is promised is there."""
    for page in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]:
        for target in re.findall(
            r"\]\((?!<?https?://|#)([^)#]+)", page.read_text(encoding="utf-8")
        ):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_the_commands_of_the_readme_are_those_of_the_makefile():
    """The first screen must work as it stands."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in re.findall(r"^\$ make (\w+)", (ROOT / "README.md").read_text(), re.MULTILINE):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target


def test_every_requirement_line_is_named_by_a_test():
    """What nobody proves, nobody has built."""
    wanted = set(re.findall(r"\bS[0-4]-\d\d\b", REQUIREMENTS.read_text(encoding="utf-8")))
    named: set[str] = set()
    for test in (ROOT / "tests").rglob("*.py"):
        named |= set(re.findall(r"\bS[0-4]-\d\d\b", test.read_text(encoding="utf-8")))

    assert sorted(wanted - named) == []
