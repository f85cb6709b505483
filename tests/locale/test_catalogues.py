"""The catalogues are current and complete, and nothing is said beside them."""

from __future__ import annotations

import ast
import importlib.util
import re
import string
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import kensaku
from kensaku.locale import HERE
from kensaku.locale.po import plural_rule, read

SOURCE = Path(kensaku.__file__).parent
SCRIPT = Path(__file__).parents[2] / "scripts" / "messages.py"
CATALOGUES = sorted(HERE.glob("*.po"))
every_catalogue = pytest.mark.parametrize("path", CATALOGUES, ids=lambda path: path.stem)

_spec = importlib.util.spec_from_file_location("messages", SCRIPT)
assert _spec
assert _spec.loader
messages = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(messages)

JAPANESE = re.compile(r"[\u3041-\u30fe\u4e00-\u9fff、。「」（）：；！？]")
# As Kensaku speaks to people: no word list and no pattern ends so.
SENTENCE = re.compile(r"(?:です|ます|ました|ません|でした|ください)か?[。！？：…]*$")
SPECIFICATION = "the bytes of specifications in Japanese, and our notes beside them"
WORDS = "words that are looked for in texts of others: they are read, and never said"
# Folders and files with Japanese of their own, and why it is not in the catalogue.
EXEMPT = {
    "compat/": SPECIFICATION,
    "answers/": WORDS,
    "assistant/replies.py": WORDS,
    "assistant/channels/_text.py": WORDS,
    "dialects/": "labels of ours that a page could imitate: they are escaped",
    "extract/": WORDS,
    "models/confidence.py": WORDS,
    "providers/_filters.py": WORDS,
    "search/": WORDS,
    "server/page/results.py": WORDS,
    "server/page/templates/base.html": "the name of the product",
    "server/page/search/view.py": "the names of languages, each in itself",
    "testing/": "queries and pages that are hard to handle",
    "text/": WORDS,
}


@every_catalogue
def test_a_catalogue_is_current(path: Path) -> None:
    """`python scripts/messages.py` writes it anew: no message is missing, none is left over."""
    assert path.read_text(encoding="utf-8") == messages.current(path)


@every_catalogue
def test_a_catalogue_is_complete(path: Path) -> None:
    """Every message is translated, and somebody has looked at the translation."""
    header, *entries = read(path)

    assert header.field("Language") == path.stem
    assert [e.one for e in entries if not all(e.strings) or e.fuzzy] == []


@every_catalogue
def test_a_translation_takes_the_values_of_its_message(path: Path) -> None:
    """By their names; it may leave none out, for each says something."""
    wrong = [e.one for e in read(path)[1:] if any(_fields(s) != _fields(e.one) for s in e.strings)]

    assert wrong == []


@every_catalogue
def test_a_translation_has_as_many_forms_as_its_language(path: Path) -> None:
    """And its rule names no other."""
    header, *entries = read(path)
    count = int(header.field("Plural-Forms").partition("nplurals=")[2].partition(";")[0])

    assert {plural_rule(header)(n) for n in range(200)} == set(range(count))
    assert [e.one for e in entries if len(e.strings) != (count if e.many else 1)] == []


def test_both_english_forms_take_the_same_values() -> None:
    """And the number is one of them, or nobody could choose."""
    entries = [entry for path in CATALOGUES for entry in read(path)]
    plural = [(entry.one, entry.many) for entry in entries if entry.many]

    assert plural
    assert [one for one, many in plural if _fields(one) != _fields(many)] == []
    assert [one for one, _ in plural if "n" not in _fields(one)] == []


def test_a_message_is_written_where_it_is_said() -> None:
    """Not put together: a sentence made of pieces cannot be translated."""
    glued = [
        f"{name}:{call.lineno}"
        for name, nodes in _nodes().items()
        for call in nodes
        if isinstance(call, ast.Call)
        and getattr(call.func, "attr", getattr(call.func, "id", "")) in messages.FUNCTIONS
        and call.args
        and isinstance(call.args[0], ast.JoinedStr | ast.BinOp)
    ]

    assert glued == []


def test_japanese_is_in_the_catalogue_and_nowhere_else() -> None:
    """A message that is changed is changed in one file."""
    found = {name for name, text in _texts() if JAPANESE.search(text)}
    unlisted = {name for name in found if not name.startswith(tuple(EXEMPT))}

    assert unlisted == set()
    assert [prefix for prefix in EXEMPT if not any(n.startswith(prefix) for n in found)] == []


def test_japanese_sentences_are_in_the_catalogue_whatever_the_folder() -> None:
    """Also beside the word lists."""
    found = {name for name, text in _texts() if SENTENCE.search(text)}

    assert {name for name in found if not name.startswith("compat/")} == {"assistant/replies.py"}


def _fields(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}


@cache
def _nodes() -> dict[str, list[ast.AST]]:
    """Return every node of the source, by file."""
    return {
        path.relative_to(SOURCE).as_posix(): [
            *ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        ]
        for path in sorted(SOURCE.rglob("*.py"))
    }


def _texts() -> Iterator[tuple[str, str]]:
    """Yield the texts of the source, without docstrings: file and text."""
    for name, nodes in _nodes().items():
        docstrings = {
            id(node.body[0].value)
            for node in nodes
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
            and node.body
            and isinstance(node.body[0], ast.Expr)
        }
        for node in nodes:
            is_text = isinstance(node, ast.Constant) and isinstance(node.value, str)
            if is_text and id(node) not in docstrings:
                yield name, node.value
    for path in sorted(SOURCE.rglob("*.html")):
        yield path.relative_to(SOURCE).as_posix(), path.read_text(encoding="utf-8")
