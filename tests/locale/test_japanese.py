"""Under ja_JP a person reads Japanese: help, errors, notes and pages.

What is English then is a name, code, an option, or the words of somebody else.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import kensaku
from kensaku import errors
from kensaku.cli._main import COMMANDS, make_parser, overview, run_command
from kensaku.locale import translator
from kensaku.locale.po import read
from tests.japanese import JAPANESE, english_in

SOURCE = Path(kensaku.__file__).parent
CATALOGUE = SOURCE / "locale" / "ja.po"
# Whose messages nobody reads on a terminal or on the page.
NOT_FOR_PEOPLE = ("compat/", "adapters/", "testing/", "server/wires/")
ERRORS = {
    name
    for name, kind in vars(errors).items()
    if inspect.isclass(kind) and issubclass(kind, errors.KensakuError)
}


@pytest.fixture(autouse=True)
def japanese(monkeypatch: pytest.MonkeyPatch) -> None:
    """The locale of a person in Japan."""
    monkeypatch.delenv("LC_ALL", raising=False)
    monkeypatch.delenv("LC_MESSAGES", raising=False)
    monkeypatch.setenv("LANG", "ja_JP.UTF-8")


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_of_a_command_is_japanese(name: str) -> None:
    """What argparse says itself, too."""
    parser = make_parser(name, width=100)
    lines = parser.format_help().splitlines()
    about = [line for action in parser._actions for line in [action.help or ""]]

    assert lines[0].startswith("使い方: kensaku")
    assert [line for line in lines if english_in(line)] == []
    assert {"positional arguments:", "options:"}.isdisjoint(lines)
    assert all(JAPANESE.search(translator("ja")(line)) for line in about)


def test_the_list_of_commands_is_japanese() -> None:
    """In groups, each with its name."""
    lines = overview().splitlines()

    assert [line for line in lines if line and not JAPANESE.search(line)] == []
    assert [line for line in lines if english_in(line)] == []


@pytest.mark.parametrize("variable", ["LANG", "LC_MESSAGES", "LC_ALL"])
def test_any_variable_of_the_locale_chooses_the_language(
    variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The more special one counts."""
    monkeypatch.setenv("LANG", "C")
    monkeypatch.setenv(variable, "ja_JP.UTF-8")

    assert overview().startswith("使い方")


@pytest.mark.parametrize(
    "words",
    [
        "search", "index", "search --max-result 3 x", "search -n many x", "search --depth deep x",
        "search --route", "--config f search x", "serch x", "search --json=1 x", "compare x",
        "search --record a --replay b x", "keys destroy", "cache stats now", "zzz",
    ],
)  # fmt: skip
def test_what_is_wrong_on_the_command_line_is_said_in_japanese(
    words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """In one sentence with the next step, and exit status 2."""
    assert run_command(words.split()) == 2

    said = capsys.readouterr().err
    assert said.startswith("kensaku: ")
    assert said.count("\n") == 1
    assert JAPANESE.search(said)
    assert english_in(said) == []


def test_no_translation_is_left_in_english() -> None:
    """Every message of the catalogue: errors, notes, notices and pages."""
    messages = read(CATALOGUE)[1:]

    left = [e.one for e in messages for text in e.strings if english_in(text)]
    assert left == []


def test_every_error_is_a_message() -> None:
    """Who raises an error writes its text where a translator finds it."""
    assert list(_unmarked()) == []


def test_confidence_has_one_word() -> None:
    """On the page, in the terminal and in what a model is told."""
    texts = [text for e in read(CATALOGUE)[1:] for text in e.strings]

    assert any("信頼度" in text for text in texts)
    assert [text for text in texts if "確信度" in text] == []


def test_an_error_that_was_stored_is_said_in_japanese() -> None:
    """As JSON it has lost the message that it was made from."""
    error = errors.NotConfigured("brave", "it has no key", remedy="set BRAVE_API_KEY")
    again = errors.error_from_dict(error.to_dict(), "brave")
    t = translator("ja")

    assert t(again.message) == "キーが設定されていません"
    assert t("an address and a key") == "an address and a key"
    assert t("check BRAVE_API_KEY") == "BRAVE_API_KEY を確認してください"


def _unmarked() -> Iterator[str]:
    """Yield the places where an error gets a text of its own that no catalogue has."""
    for path in sorted(SOURCE.rglob("*.py")):
        name = path.relative_to(SOURCE).as_posix()
        if name.startswith(NOT_FOR_PEOPLE):
            continue
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(call, ast.Call):
                continue
            if getattr(call.func, "id", "") not in ERRORS - {"MissingExtra"}:
                continue
            texts = [*call.args, *(k.value for k in call.keywords if k.arg == "remedy")]
            if any(map(_is_sentence, texts)):
                yield f"{name}:{call.lineno}"


def _is_sentence(node: ast.expr) -> bool:
    if isinstance(node, ast.JoinedStr):
        parts = [v.value for v in node.values if isinstance(v, ast.Constant)]
        return bool(re.search(r"[a-z]{2} [a-z]", "".join(map(str, parts))))
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value
