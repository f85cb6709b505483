"""The parser of a command: its help and its errors in the language of the locale.

    the command's docstring, `help=…` → `--help`
    argparse's complaint → what is wrong, the value, the next step: a `UsageError`

argparse says what is wrong in English only, and as text: `_FAULTS` reads it.
"""

from __future__ import annotations

import argparse
import difflib
import inspect
import re
from collections.abc import Callable, Iterable
from functools import partial
from types import ModuleType
from typing import Any, NoReturn

from kensaku.cli._terminal import t
from kensaku.errors import UsageError
from kensaku.messages import msg
from kensaku.text.wrap import wrap

HEADINGS = {"positional arguments": msg("arguments"), "options": msg("options")}
HELP = msg("show this help message and exit")  # argparse's own words about --help
NUMBERS = {"int": msg("a whole number"), "float": msg("a number")}


class Parser(argparse.ArgumentParser):
    """The parser of one command. Raises `UsageError` instead of leaving the process."""

    def __init__(self, name: str, module: ModuleType, width: int | None = None) -> None:
        super().__init__(prog=f"kensaku {name}", **parser_options(name, module, width))
        self.color = False  # new in Python 3.14
        module.add_arguments(self)

    def error(self, message: str) -> NoReturn:
        """Say what is wrong and what to do next."""
        for pattern, fault in _FAULTS:
            if found := re.fullmatch(pattern, message, re.DOTALL):
                raise fault(self, **found.groupdict())
        raise UsageError(message, remedy=self.hint)

    @property
    def hint(self) -> str:
        """Where the options are explained."""
        return msg("`{command} --help` lists the options", command=self.prog)

    def choices_of(self, name: str) -> list[str]:
        """Return the words that an argument takes, by what the help calls it."""
        named = (a for a in self._actions if name in (a.metavar, a.dest, *a.option_strings))
        return [str(choice) for action in named for choice in action.choices or ()]


def parser_options(name: str, module: ModuleType, width: int | None = None) -> dict[str, Any]:
    """Return the constructor arguments of a command's parser."""
    usage = module.USAGE.replace("[options]", t("[options]"))
    return {
        "usage": f"kensaku {name} {usage}",
        "description": t(inspect.cleandoc(module.__doc__ or "")),
        "formatter_class": partial(HelpFormatter, width=width),
        "allow_abbrev": False,
    }


class HelpFormatter(argparse.RawDescriptionHelpFormatter):
    """Format help in the language of the locale, the same way in every version of Python."""

    def __init__(self, prog: str, width: int | None = None) -> None:
        super().__init__(prog, max_help_position=28, width=width)

    def add_usage(
        self, usage: str | None, actions: Any, groups: Any, prefix: str | None = None
    ) -> None:
        """Add the line of the usage."""
        super().add_usage(usage, actions, groups, t("usage: ") if prefix is None else prefix)

    def start_section(self, heading: str | None) -> None:
        """Begin the arguments or the options."""
        super().start_section(t(HEADINGS[heading]) if heading in HEADINGS else heading)

    def _get_help_string(self, action: argparse.Action) -> str | None:
        return t(action.help) if action.help else action.help

    def _split_lines(self, text: str, width: int) -> list[str]:
        return wrap(" ".join(text.split()), width).split("\n")

    def _format_action_invocation(self, action: argparse.Action) -> str:
        if not action.option_strings:
            return super()._format_action_invocation(action)
        names = ", ".join(action.option_strings)
        if action.nargs == 0:
            return names
        return f"{names} {self._format_args(action, (action.dest or '').upper())}"


def _missing(parser: Parser, names: str) -> UsageError:
    name = names.split(", ")[0]  # of several, the first
    choices = parser.choices_of(name)
    if choices:
        remedy = msg("choose from {names}", names=", ".join(choices))
    else:
        remedy = msg("write: {usage}", usage=parser.usage)
    return UsageError(msg("{name} is missing", name=name), remedy=remedy)


def _unknown(parser: Parser, names: str) -> UsageError:
    first = names.split()[0]
    if not first.startswith("-"):
        return UsageError(
            msg("{words!r} is too much", words=names),
            remedy=msg("write: {usage}", usage=parser.usage),
        )
    option = first.partition("=")[0]
    known = [o for action in parser._actions for o in action.option_strings if o.startswith("--")]
    return UsageError(
        msg("there is no option {option}", option=option),
        remedy=_nearest(option, known) or parser.hint,
    )


def _no_number(parser: Parser, name: str, kind: str, value: str) -> UsageError:
    return UsageError(
        msg("{name} is {value}", name=_short(name), value=value),
        remedy=msg("write {kind}", kind=NUMBERS.get(kind, kind)),
    )


def _no_choice(parser: Parser, name: str, value: str) -> UsageError:
    choices = parser.choices_of(_short(name))
    listed = msg("choose from {names}", names=", ".join(choices))
    return UsageError(
        msg("{name} is {value}", name=_short(name), value=value),
        remedy=_nearest(value.strip("'\""), choices) or listed,
    )


def _no_value(parser: Parser, name: str) -> UsageError:
    return UsageError(msg("{name} needs a value", name=_short(name)), remedy=parser.hint)


def _not_both(parser: Parser, name: str, other: str) -> UsageError:
    names = {"name": _short(name), "other": _short(other)}
    return UsageError(
        msg("{name} and {other} exclude each other", **names), remedy=msg("leave one of them out")
    )


def _no_value_taken(parser: Parser, name: str, value: str) -> UsageError:
    return UsageError(
        msg("{name} takes no value, and got {value}", name=_short(name), value=value),
        remedy=parser.hint,
    )


def _nearest(word: str, known: Iterable[str]) -> str:
    near = difflib.get_close_matches(word, list(known), n=1, cutoff=0.5)
    return msg("did you mean {near!r}?", near=near[0]) if near else ""


def _short(name: str) -> str:
    """Return the last of the names of an option: `-n/--max-results` → `--max-results`."""
    return name.rpartition("/")[2] if name.startswith("-") else name


# argparse's complaints in Python 3.11 to 3.14. What is not here is said as argparse says it.
_FAULTS: list[tuple[str, Callable[..., UsageError]]] = [
    (r"the following arguments are required: (?P<names>.+)", _missing),
    (r"unrecognized arguments: (?P<names>.+)", _unknown),
    (r"argument (?P<name>.+?): invalid (?P<kind>\w+) value: (?P<value>.*)", _no_number),
    (r"argument (?P<name>.+?): invalid choice: (?P<value>.*?) \((?:choose|maybe).*\)", _no_choice),
    (r"argument (?P<name>.+?): expected .*arguments?", _no_value),
    (r"argument (?P<name>.+?): not allowed with argument (?P<other>.+)", _not_both),
    (r"argument (?P<name>.+?): ignored explicit argument (?P<value>.*)", _no_value_taken),
]
