"""Where a report goes: to standard output, or to a file in the form that its name ends with."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from kensaku.cli._terminal import print_json, print_message, print_result, t
from kensaku.errors import InvalidQuery, system_reason
from kensaku.messages import msg

if TYPE_CHECKING:
    from kensaku.answers.report.report import Report

ENDINGS = (".md", ".html", ".json")


def check_output(path: Path | None) -> None:
    """Raise `InvalidQuery` before any work for a file that could not be written afterwards."""
    if path is None:
        return
    if path.suffix.lower() not in ENDINGS:
        raise InvalidQuery(
            msg("--output is {path!r}; its name must end with .md, .html or .json", path=str(path))
        )
    if not path.parent.is_dir():
        raise InvalidQuery(msg("--output is {path!r}; its folder does not exist", path=str(path)))


def print_report(report: Report, path: Path | None, *, as_json: bool) -> None:
    """Print a report, or write it to a file."""
    if path is not None:
        if report.text is not None:
            _write(report, path)
        return
    if as_json:
        print_json(report.to_dict())
    elif report.structured is not None:
        print_json(report.structured)
    elif report.text:
        print_result(report.text)


def _write(report: Report, path: Path) -> None:
    from kensaku.answers.report.html import to_html
    from kensaku.dialects.json import dumps

    ending = path.suffix.lower()
    if ending == ".html":
        text = to_html(report)
    else:
        text = f"{report.text}\n" if ending == ".md" else dumps(report.to_dict(), indent=2)
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InvalidQuery(
            msg("{path} cannot be written: {reason}", path=path, reason=system_reason(error))
        ) from None
    print_message(t("Wrote {path}", path=path))
