"""The documentation is true: it is generated, complete, and its code runs."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from importlib.util import find_spec
from pathlib import Path

import pytest

from kensaku import errors
from kensaku.adapters import ADAPTERS
from kensaku.cli._main import COMMANDS, make_parser
from tests import ROOT
from tests.blocks import Block, blocks
from tests.docs_run import END
from tests.docs_stage import stage

DOCS = ROOT / "docs"
# Their code is run elsewhere, or cannot run by itself.
ELSEWHERE = {
    "docs/adding-a-provider.md": "tests/providers/test_adding_a_provider.py",
    "docs/assistant-model.md": "tests/server/test_openai.py",
    "docs/dialects.md": "tests/dialects/test_docs.py",
    "docs/command-line.md": "tests/cli/test_docs.py",
    "docs/fetching.md": "it reads pages of the web",
    "docs/frameworks.md": "two lines of each recipe",
    "docs/mcp.md": "a fragment of a server",
}
PAGES = {
    str(page.relative_to(ROOT)): page
    for page in sorted([*ROOT.glob("*.md"), *DOCS.rglob("*.md")])
    if str(page.relative_to(ROOT)) not in ELSEWHERE
}
REQUIREMENTS = DOCS / "specifications" / "requirements.md"
_CHANGING = re.compile(
    r"(?<=<<<web )[0-9a-f]{32}|(?<=^web )[0-9a-f]{32}|(?<=date: )[\d-]{10}", re.M
)


def having(*languages: str) -> list[str]:
    """The pages that have such a block."""
    return [name for name, page in PAGES.items() if blocks(page, *languages)]


def is_test(block: Block) -> bool:
    return "def test_" in block.text


def interpreter_for(page: Path) -> Path:
    """Who can run a page: for a recipe, an environment that has the framework."""
    adapter = ADAPTERS.get(page.stem) if page.parent.name == "recipes" else None
    needs = adapter.needs if adapter else ""
    if not needs or _importable(needs):
        return Path(sys.executable)
    other = ROOT / ".venv-frameworks" / page.stem / "bin" / "python"
    if not other.exists():
        pytest.skip(f"{needs} is not installed here; it is after: make test-frameworks")
    return other


def _importable(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:
        return False


def normal(text: str) -> str:
    """Without the random marker of a fence and the date of today."""
    return _CHANGING.sub("·", text)


@pytest.mark.usefixtures("documentation")
@pytest.mark.parametrize("name", having("python"))
def test_the_code_of_a_page_runs_and_prints_what_the_page_shows(name, tmp_path):
    """Whoever copies an example gets what the page says."""
    page = PAGES[name]
    python = interpreter_for(page)
    parts = [b for b in blocks(page, "python", "text") if not is_test(b)]
    code = [b.text for b in parts if b.language == "python"]
    with stage(tmp_path) as env:
        env |= {"PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"}
        if page.stem == "observing":
            del env["OTEL_SDK_DISABLED"]  # for the frameworks of the other pages
        env |= {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{env['PATH']}"}
        done = subprocess.run(
            [python, "-m", "tests.docs_run"],
            input=json.dumps(code),
            env=env,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=300,
        )
    assert done.returncode == 0, done.stderr
    printed = iter(normal(done.stdout).split(END))
    last = ""
    for block in parts:
        if block.language == "python":
            last = next(printed)
        elif last:  # before the first code, a text block is a drawing
            assert normal(block.text).rstrip() in last


@pytest.mark.usefixtures("documentation")
@pytest.mark.parametrize(
    "name", [n for n in having("python") if any(map(is_test, blocks(PAGES[n], "python")))]
)
def test_the_tests_of_a_page_pass(name, tmp_path):
    """An example of a test is a test; the one in CONTRIBUTING uses our fixtures."""
    file = tmp_path / "test_example.py"
    file.write_text("\n\n".join(b.text for b in blocks(PAGES[name], "python") if is_test(b)))
    fixtures = ["-p", "tests.conftest"] if name == "CONTRIBUTING.md" else []
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *fixtures, "-o", "asyncio_mode=auto", file],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )

    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("name", having("console"))
def test_the_commands_of_a_page_exist(name):
    """Every `kensaku` command with its options, and every target of the Makefile."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for block in blocks(PAGES[name], "console"):
        for line in re.findall(r"^\$ (.+)", block.text, re.MULTILINE):
            words = shlex.split(line, comments=True)
            if words[0] == "make":
                assert re.search(rf"^{words[1]}:", makefile, re.MULTILINE), line
            if "kensaku" in words and words[0] in ("kensaku", "claude"):
                command, *rest = words[len(words) - words[::-1].index("kensaku") :]
                assert command in COMMANDS, line
                known = make_parser(command)._option_string_actions
                assert [w for w in rest if w.startswith("--") and w not in known] == [], line


@pytest.mark.parametrize("name", having("json", "toml"))
def test_the_data_of_a_page_can_be_read(name):
    """What is copied into a settings file must load."""
    readers = {"json": json.loads, "toml": tomllib.loads}
    for block in blocks(PAGES[name], "json", "toml"):
        assert readers[block.language](block.text)


@pytest.mark.usefixtures("documentation")
@pytest.mark.parametrize("script", ["generate.py", "charts.py"])
def test_what_is_generated_is_current(script):
    """A setting that is not in the documentation does not exist for anybody."""
    done = subprocess.run(
        [sys.executable, DOCS / script, "--check"], capture_output=True, text=True
    )

    assert done.returncode == 0, done.stdout + done.stderr


def test_every_link_of_the_documentation_leads_somewhere():
    """A guide that is promised is there; the site's own links are checked by `make docs`."""
    for page in [*ROOT.glob("*.md"), *DOCS.rglob("*.md")]:
        for target in re.findall(
            r"\]\((?!<?https?://|#)([^)#]+)", page.read_text(encoding="utf-8")
        ):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


@pytest.mark.parametrize("name", [n for n in PAGES if not n.startswith("docs/decisions")])
def test_the_files_that_a_page_names_exist(name):
    """`tests/transport/test_guard.py` is where the page says it is."""
    text = PAGES[name].read_text(encoding="utf-8")
    named = re.findall(r"(?<![\w/.-])((?:src|tests|bench|docs|examples)/[\w/.-]*\w)", text)

    assert sorted(file for file in set(named) if not (ROOT / file).exists()) == []


@pytest.mark.parametrize("name", ["docs/architecture.md", "SECURITY.md"])
def test_the_modules_that_a_page_names_exist(name):
    """Someone who looks for the retry rule finds `search/attempt.py`."""
    text = PAGES[name].read_text(encoding="utf-8")
    named = {n for n in re.findall(r"`(\w+/[\w/]*(?:\.py)?)`", text) if not n.startswith("tests/")}
    assert named

    assert sorted(module for module in named if not (ROOT / "src/kensaku" / module).exists()) == []


def test_every_adapter_has_a_recipe():
    """Or shares one: four APIs have plain schemas."""
    schemas = {name for name, row in ADAPTERS.items() if row.module.endswith(".schemas")}
    recipes = {page.stem for page in (DOCS / "recipes").glob("*.md")}

    assert sorted(set(ADAPTERS) - schemas - recipes) == []


def test_every_error_is_on_the_troubleshooting_page():
    """Whoever meets one finds what to do. Classes that only group others need no line."""
    page = PAGES["docs/troubleshooting.md"].read_text(encoding="utf-8")
    kinds = [
        e for e in vars(errors).values() if isinstance(e, type) and e.__module__ == errors.__name__
    ]
    grouping = {base for kind in kinds for base in kind.__mro__[1:]} - {errors.Outage}

    assert [k.__name__ for k in kinds if k not in grouping and f"`{k.__name__}`" not in page] == []


def test_the_variables_that_the_pages_name_exist():
    """A variable with a typing error is ignored in silence."""
    sources = [*(ROOT / "src").rglob("*.py"), *ROOT.glob("bench/*.py"), *ROOT.glob("tests/**/*.py")]
    sources += [DOCS / "configuration.md"]  # generated from the settings
    code = "\n".join(file.read_text(encoding="utf-8") for file in sources)
    for name, page in PAGES.items():
        for variable in set(
            re.findall(r"\bKENSAKU_[A-Z_]+[A-Z]", page.read_text(encoding="utf-8"))
        ):
            assert variable in code, f"{name}: {variable}"


def test_the_figures_of_the_readme_are_those_of_the_benchmarks():
    """A figure that nobody can look up is an advertisement."""
    readme = PAGES["README.md"].read_text(encoding="utf-8")
    measured = PAGES["docs/benchmarks.md"].read_text(encoding="utf-8")
    section = readme.partition("## Measured")[2].partition("\n## ")[0]
    for figure in re.findall(r"\d+\.\d+(?= %)", section):  # there written as shares
        assert f"{float(figure) / 100:.3f}" in measured, figure
    for figure in re.findall(r"\d+\.\d+(?! %|\d)", section):
        assert figure in measured, figure
    for command in re.findall(r"`(python bench/\w+\.py)", section):
        assert command in measured, command


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("terminal", "Nobody could search"),
        ("chat", "May web_search run?"),
        ("first-minutes", "Tavily: it works"),
    ],
)
def test_the_pictures_of_the_terminal_show_what_it_says(name, shown):
    """They are drawn by docs/picture.py, are small, and load nothing from elsewhere."""
    picture = (DOCS / "images" / f"{name}.svg").read_text(encoding="utf-8")

    assert len(picture) < 60_000
    assert shown.replace(" ", "&#160;") in picture
    assert not re.search(r"(?:href|src|url)\s*[=(]\s*[\"']?https?://", picture)


def test_every_requirement_line_is_named_by_a_test():
    """What nobody proves, nobody has built."""
    wanted = set(re.findall(r"\bS[0-4]-\d\d\b", REQUIREMENTS.read_text(encoding="utf-8")))
    named: set[str] = set()
    for test in (ROOT / "tests").rglob("*.py"):
        named |= set(re.findall(r"\bS[0-4]-\d\d\b", test.read_text(encoding="utf-8")))

    assert len(wanted) == 234
    assert sorted(wanted - named) == []
