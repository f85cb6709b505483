"""`docs/adding-a-provider.md` is true: following it to the letter gives a provider that passes."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest

from tests import ROOT

DOC = ROOT / "docs" / "adding-a-provider.md"


@pytest.fixture
def package(tmp_path):
    """The files of the guide, as an installed distribution with its entry point."""
    blocks = re.findall(r"```(\w+)\n(.*?)```", DOC.read_text(encoding="utf-8"), re.DOTALL)
    (provider, test), (sample,), (entry,) = (
        [text for kind, text in blocks if kind == wanted] for wanted in ("python", "json", "toml")
    )
    name, _, value = entry.splitlines()[1].partition(" = ")
    info = tmp_path / "acme-1.0.dist-info"
    info.mkdir()
    for path, text in {
        tmp_path / "acme.py": provider,
        tmp_path / "acme.json": sample,
        tmp_path / "test_acme.py": test,
        info / "METADATA": "Metadata-Version: 2.1\nName: acme\nVersion: 1.0\n",
        info / "entry_points.txt": f"[kensaku.providers]\n{name} = {value.strip(chr(34))}\n",
    }.items():
        path.write_text(text, encoding="utf-8")
    return tmp_path


def run(package, *arguments):
    """Run Python where the package is installed."""
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=package,
        env={**os.environ, "PYTHONPATH": str(package)},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.usefixtures("documentation")
def test_the_guides_provider_passes_the_contract(package):
    """One file, one line, one sample, and a test of ten lines."""
    ran = run(package, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:asyncio")

    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert int(re.search(r"(\d+) passed", ran.stdout)[1]) > 50


@pytest.mark.usefixtures("documentation")
def test_the_guides_provider_is_found_by_its_name(package):
    """The entry point is the whole installation."""
    code = (
        "from kensaku.providers import provider_class, provider_names;"
        "print('acme' in provider_names(), provider_class('acme').label)"
    )

    assert run(package, "-c", code).stdout == "True Acme Search\n"


@pytest.mark.usefixtures("documentation")
def test_a_provider_that_hides_failure_does_not_pass(package):
    """The contract is worth something: the usual shortcuts are caught."""
    path = package / "acme.py"
    path.write_text(path.read_text().replace('rows(body["items"])', 'body.get("items", [])'))

    ran = run(package, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:asyncio")

    assert ran.returncode == 1
    assert "never_an_empty_list" in ran.stdout


def test_the_guide_names_every_member_of_a_sample():
    """A member that nobody knows of is not used."""
    from dataclasses import fields

    from kensaku.testing import Sample

    text = DOC.read_text(encoding="utf-8")

    assert [f.name for f in fields(Sample) if f"`{f.name}`" not in text] == []
