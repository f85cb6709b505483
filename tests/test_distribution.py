"""The wheel and the sdist: what is in them, and that two builds give the same bytes."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import zipfile
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests import ROOT

pytestmark = pytest.mark.skipif(find_spec("hatchling") is None, reason="hatchling is not installed")
IS_CLONE = (ROOT / ".git").exists()


def _build(source: Path, to: Path, *targets: str) -> Path:
    words = [word for target in targets for word in ("-t", target)]
    done = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", *words, "-d", to],
        cwd=source,
        env={**os.environ, "SOURCE_DATE_EPOCH": "1577836800"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return to


@pytest.fixture(scope="module")
def dist(processes: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sdist and the wheel of this clone."""
    return _build(ROOT, tmp_path_factory.mktemp("dist"), "sdist", "wheel")


def _wheel(folder: Path) -> Path:
    (wheel,) = folder.glob("*.whl")
    return wheel


def _sdist(folder: Path) -> Path:
    (sdist,) = folder.glob("*.tar.gz")
    return sdist


def _unpacked(sdist: Path, to: Path) -> Path:
    with tarfile.open(sdist) as archive:
        archive.extractall(to, filter="data")
    return to / sdist.name.removesuffix(".tar.gz")


@pytest.mark.skipif(not IS_CLONE, reason="not a clone")
def test_every_file_of_the_package_that_git_knows_is_in_the_wheel(dist):
    """A template or a model that is left out fails at a user's first request, not at the build."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "src/kensaku"], cwd=ROOT, capture_output=True, text=True
    )
    known = {name.removeprefix("src/") for name in listed.stdout.split("\0") if name}
    held = set(zipfile.ZipFile(_wheel(dist)).namelist())

    assert len(known) > 500
    assert sorted(known - held) == []
    assert sorted(name for name in held - known if ".dist-info/" not in name) == []


def test_the_wheel_carries_its_licence(dist):
    """Nobody may use what comes without a licence."""
    names = zipfile.ZipFile(_wheel(dist)).namelist()

    for wanted in ("licenses/LICENSE", "licenses/NOTICE"):
        assert any(name.endswith(wanted) for name in names), wanted


def test_the_sdist_holds_what_the_wheel_is_built_from_and_no_more(dist):
    """Recorded replies and pictures are for people with a clone; the sdist is 1.1 MB."""
    sdist = _sdist(dist)
    with tarfile.open(sdist) as archive:
        top = {name.split("/")[1] for name in archive.getnames()}

    assert top == {
        *("src", "pyproject.toml", "PKG-INFO", "README.md", "CHANGELOG.md", "LICENSE", "NOTICE"),
        ".gitignore",  # hatchling adds it, so that a build from the sdist leaves out the same
    }
    assert sdist.stat().st_size < 2_500_000


def test_the_wheel_of_the_sdist_is_the_wheel_of_the_clone(dist, tmp_path):
    """`pip install --no-binary` gives the bytes that were tested."""
    source = _unpacked(_sdist(dist), tmp_path)

    again = _build(source, tmp_path / "dist", "wheel")

    assert _wheel(again).read_bytes() == _wheel(dist).read_bytes()


def test_two_builds_give_the_same_bytes(dist, tmp_path):
    """Anybody can check that a published file was built from the published source."""
    again = _build(ROOT, tmp_path, "sdist", "wheel")

    assert _wheel(again).read_bytes() == _wheel(dist).read_bytes()
    assert _sdist(again).read_bytes() == _sdist(dist).read_bytes()


def test_the_time_of_a_build_is_the_one_that_the_environment_names(dist):
    """A distribution sets SOURCE_DATE_EPOCH; the clock of the machine is in no file."""
    with zipfile.ZipFile(_wheel(dist)) as wheel:
        assert {info.date_time for info in wheel.infolist()} == {(2020, 1, 1, 0, 0, 0)}
    with tarfile.open(_sdist(dist)) as sdist:
        assert {info.mtime for info in sdist} == {1_577_836_800}
