"""How the documentation of Python sources is read: which files, which names, which words."""

from __future__ import annotations

import sysconfig
from collections.abc import Mapping
from pathlib import Path

import pytest

from kensaku.errors import IndexFault
from kensaku.index import pydocs
from kensaku.index.pydocs import _make_documents, _modules, _run, read_source
from kensaku.models import Document

CORE = '''
"""Tasks that can be ended."""

class Task(Base, other.Mixin):
    """A task of many words."""

    def __init__(self, name: str, *, limit=3):
        """Not a name for readers."""

    async def cancel(self, msg=None) -> bool:
        """Ask the task to end."""

    @classmethod
    def make(cls):
        """Make one of these."""

    def short(self):
        """Three words only."""

    class Inner:
        """A class within another."""

def _helper():
    """Nobody is to see."""

def run(*tasks: Task):
    """Run all of them."""

VALUE = 1
'''


def put(folder: Path, files: Mapping[str, str]) -> Path:
    """Write Python files by their names without the ending."""
    for name, text in files.items():
        path = folder / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def empty(*names: str) -> dict[str, str]:
    return dict.fromkeys(names, "")


def test_a_file_is_read_for_what_it_documents(tmp_path: Path) -> None:
    """Public names with their signatures and at least four words, in their order."""
    put(tmp_path, {"core": CORE})

    assert read_source((str(tmp_path / "core.py"), "pkg.core")) == (
        [
            ("pkg.core", "", "Tasks that can be ended."),
            (
                "pkg.core.Task",
                "class pkg.core.Task(name: str, *, limit=3)  # Base, other.Mixin",
                "A task of many words.",
            ),
            (
                "pkg.core.Task.cancel",
                "async def pkg.core.Task.cancel(msg=None) -> bool",
                "Ask the task to end.",
            ),
            ("pkg.core.Task.make", "def pkg.core.Task.make()", "Make one of these."),
            ("pkg.core.Task.Inner", "class pkg.core.Task.Inner", "A class within another."),
            ("pkg.core.run", "def pkg.core.run(*tasks: Task)", "Run all of them."),
        ],
        {},
    )


def test_long_documentation_and_long_signatures_are_cut(tmp_path: Path) -> None:
    """At 6,000 and 400 characters."""
    text = f'def f({"a" * 500}):\n    """{"word " * 2_000}"""\n'
    put(tmp_path, {"long": text})
    [(_, signature, words)], _ = read_source((str(tmp_path / "long.py"), "long"))

    assert signature == f"def long.f({'a' * 400})"
    assert words == ("word " * 1_200)


@pytest.mark.parametrize(("size", "read"), [(600_000, True), (600_001, False)])
def test_a_very_large_file_is_left_out(tmp_path: Path, size: int, read: bool) -> None:
    """It is a generated table."""
    text = '"""A module of words."""\n#'
    put(tmp_path, {"large": text + "x" * (size - len(text))})

    assert bool(read_source((str(tmp_path / "large.py"), "large"))[0]) is read


@pytest.mark.parametrize("text", ["def (", "\0", None])
def test_what_cannot_be_read_documents_nothing(tmp_path: Path, text: str | None) -> None:
    """A file for another Python, or none at all."""
    if text is not None:
        put(tmp_path, {"broken": text})

    assert read_source((str(tmp_path / "broken.py"), "broken")) == ([], {})


def test_a_package_exports_names_of_its_modules(tmp_path: Path) -> None:
    """By name, by another name, or all that are public; not what other packages have."""
    exports = (
        "from .core import *\nfrom .listed import *\nfrom .made import *\n"
        "from .gone import *\nfrom .bad import *\nfrom .sub.deep import *\n"
        "from .other import Shown, Old as New, _hidden\n"
        "from . import direct\nfrom ..above import Up\nfrom json import dumps\nimport os\n"
    )
    root = put(
        tmp_path,
        {
            "pkg/__init__": exports,
            "pkg/core": CORE,
            "pkg/listed": "x = 1\n__all__ = ['b', 'c']\nclass a: ...",
            "pkg/made": "__all__ = ['b'] + x",
            "pkg/bad": "def (",
            "pkg/sub/deep": "def dive(): ...",
        },
    )
    init = str(root / "pkg" / "__init__.py")

    assert read_source((init, "pkg")) == (
        [],
        {
            "pkg.core.Task": "pkg.Task",
            "pkg.core._helper": "pkg._helper",
            "pkg.core.run": "pkg.run",
            "pkg.listed.b": "pkg.b",
            "pkg.listed.c": "pkg.c",
            "pkg.sub.deep.dive": "pkg.dive",
            "pkg.other.Shown": "pkg.Shown",
            "pkg.other.Old": "pkg.New",
        },
    )
    other = root / "pkg" / "plain.py"
    other.write_text("from .core import run", encoding="utf-8")
    assert read_source((str(other), "pkg.plain")) == ([], {})


def test_documents_have_the_name_that_people_use() -> None:
    """Once each; names in camel case also as words; nothing private."""
    names = [
        ("pkg", "", "About the package."),
        ("pkg._core.TaskGroup", "class pkg._core.TaskGroup()", "See pkg._core.TaskGroup."),
        ("pkg._core.TaskGroup.join", "def pkg._core.TaskGroup.join()", "Wait."),
        ("pkg._core.other", "def pkg._core.other()", "Hidden."),
        ("pkg.plain", "def pkg.plain()", "First."),
        ("pkg.plain", "def pkg.plain()", "Second."),
        ("pkg.TaskGroup", "", "Later."),
    ]
    made = _make_documents([(names, {}), None, ([], {"pkg._core.TaskGroup": "pkg.TaskGroup"})])

    assert made == [
        Document("pydoc:pkg", "pkg", "About the package.", language="en"),
        Document(
            "pydoc:pkg.TaskGroup",
            "pkg.TaskGroup",
            "class pkg.TaskGroup()\n\nSee pkg.TaskGroup.\n\n(pkg._core.Task Group)",
            language="en",
        ),
        Document(
            "pydoc:pkg.TaskGroup.join",
            "pkg.TaskGroup.join",
            "def pkg.TaskGroup.join()\n\nWait.\n\n(pkg._core.Task Group.join)",
            language="en",
        ),
        Document("pydoc:pkg.plain", "pkg.plain", "def pkg.plain()\n\nFirst.", language="en"),
    ]


def test_files_for_readers_are_taken_in_their_order(tmp_path: Path) -> None:
    """No tests, no demonstrations, no copies, nothing that is not Python."""
    taken = empty("b", "a", "pkg/__init__", "pkg/z", "pkg/sub/y")
    left = (
        "this",
        "antigravity",
        "test_a",
        "__init__",
        "tests/x",
        "config-3.11/x",
        "pkg/_vendor/x",
    )
    root = put(tmp_path, taken | empty(*left))
    (root / "notes.txt").write_text("")

    assert [
        (Path(path).relative_to(root).as_posix(), name) for path, name in _modules(root, root)
    ] == [
        ("a.py", "a"),
        ("b.py", "b"),
        ("pkg/__init__.py", "pkg"),
        ("pkg/z.py", "pkg.z"),
        ("pkg/sub/y.py", "pkg.sub.y"),
    ]


def test_installed_packages_follow_the_standard_library(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Single files and packages of both folders, of a large one the 60 files nearest to its top."""
    standard = put(tmp_path / "std", empty("json"))
    pure = put(tmp_path / "pure", empty("one", "_private", "vendor/__init__", "folder/x"))
    put(pure, empty("big/__init__", *(f"big/a/m{n:02}" for n in range(40))))
    put(pure, empty(*(f"big/z{n:02}" for n in range(40))))
    plat = put(tmp_path / "plat", empty("two/__init__"))
    paths = {"stdlib": standard, "purelib": pure, "platlib": plat}
    monkeypatch.setattr(sysconfig, "get_path", lambda name: str(paths[name]))

    names = [name for _, name in pydocs.sources()]

    deep = [f"big.a.m{n:02}" for n in range(19)]
    assert names == ["json", "big", *(f"big.z{n:02}" for n in range(40)), *deep, "one", "two"]
    assert pydocs.sources(packages=False) == [(str(standard / "json.py"), "json")]
    paths["platlib"] = pure
    assert [name for _, name in pydocs.sources()] == names[:-1]
    paths |= {"purelib": tmp_path / "gone", "platlib": plat}
    assert [name for _, name in pydocs.sources()] == ["json", "two"]


async def test_a_reader_that_fails_is_an_error() -> None:
    """Never a collection that lacks a part."""
    with pytest.raises(IndexFault, match="ended with status 1"):
        await _run(("kensaku.index.no_such_module",))
