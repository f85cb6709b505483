"""Write the catalogues, `src/kensaku/locale/*.po`, anew from the messages of the source.

    python scripts/messages.py             new messages are added, those no longer used are removed
    python scripts/messages.py de          the same, and begin a catalogue for German
    python scripts/messages.py --check     exit 1 when a catalogue is not current

A message is the text in `t("…")` or `msg("…")`, in Python and in the templates, and what `--help`
shows: the docstring of a command, and `help="…"`. Translations and the translators' own comments
(`# …`) stay.
"""

from __future__ import annotations

import ast
import inspect
import json
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "kensaku"
FOLDER = SOURCE / "locale"
FUNCTIONS = ("t", "msg")
HEADER = (
    "Language: {}\nMIME-Version: 1.0\nContent-Type: text/plain; charset=UTF-8\n"
    "Content-Transfer-Encoding: 8bit\nPlural-Forms: nplurals=2; plural=(n != 1);\n"
)

Message = tuple[str, str, str]  # context, English, English plural


def messages(source: Path = SOURCE) -> dict[Message, list[str]]:
    """Return every message of the source with the files it is in."""
    found: dict[Message, list[str]] = {}
    readers = {".py": _in_python, ".html": _in_template}
    for path in sorted(p for p in source.rglob("*") if p.suffix in readers):
        name = path.relative_to(source).as_posix()
        shown = _in_help if name.startswith("cli/") else readers[path.suffix]
        for message in shown(path.read_text(encoding="utf-8")):
            files = found.setdefault(message, [])
            files += [name] if name not in files else []
    return found


def _in_python(text: str) -> Iterator[Message]:
    calls = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)]
    for call in sorted(calls, key=lambda node: (node.lineno, node.col_offset)):
        name = getattr(call.func, "attr", None) or getattr(call.func, "id", None)
        texts = [a.value for a in call.args if isinstance(a, ast.Constant)]
        if name in FUNCTIONS and texts:
            contexts = [k.value.value for k in call.keywords if k.arg == "context"]  # type: ignore[attr-defined]
            yield "".join(contexts), texts[0], "".join(texts[1:])


def _in_help(text: str) -> Iterator[Message]:
    """Yield the messages of the command line: also the docstring of a command, and `help="…"`."""
    tree = ast.parse(text)
    if any(getattr(node, "name", "") == "add_arguments" for node in tree.body):
        yield "", inspect.cleandoc(ast.get_docstring(tree) or ""), ""
    for keyword in (node for node in ast.walk(tree) if isinstance(node, ast.keyword)):
        if keyword.arg == "help" and isinstance(keyword.value, ast.Constant):
            yield "", str(keyword.value.value), ""
    yield from _in_python(text)


def _in_template(text: str) -> Iterator[Message]:
    from jinja2 import Environment, nodes

    for call in Environment().parse(text).find_all(nodes.Call):
        texts = [a.value for a in call.args if isinstance(a, nodes.Const)]
        if isinstance(call.node, nodes.Name) and call.node.name in FUNCTIONS and texts:
            contexts = [k.value.value for k in call.kwargs if k.key == "context"]  # type: ignore[attr-defined]
            yield "".join(contexts), texts[0], "".join(texts[1:])


def current(path: Path) -> str:
    """Return a catalogue as it should be; for a new one, all there is to translate."""
    from kensaku.locale.po import Translation, read

    new = Translation("", (HEADER.format(path.stem),))
    header, *known = read(path) if path.exists() else [new]
    by_message = {(e.context, e.one): e for e in known}
    count = int(header.field("Plural-Forms").partition("nplurals=")[2].partition(";")[0])
    entries = [_write(header, list(header.comments))]
    for (context, one, many), files in messages().items():
        old = by_message.get((context, one), Translation("", ()))
        forms = count if many else 1
        strings = old.strings if len(old.strings) == forms else ("",) * forms
        kept = [c for c in old.comments if not c.startswith("#:")]
        comments = [*kept, f"#: {' '.join(files)}"]
        entries.append(_write(Translation(one, strings, many, context), comments))
    return "\n".join(entries)


def _write(entry: object, comments: list[str]) -> str:
    from kensaku.locale.po import Translation

    assert isinstance(entry, Translation)
    lines = [*comments]
    if entry.context:
        lines.append(f"msgctxt {_quoted(entry.context)}")
    lines.append(f"msgid {_quoted(entry.one)}")
    if entry.many:
        lines.append(f"msgid_plural {_quoted(entry.many)}")
        lines += [f"msgstr[{n}] {_quoted(text)}" for n, text in enumerate(entry.strings)]
    else:
        lines.append(f"msgstr {_quoted(entry.strings[0])}")
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    """Quote a text; one of several lines stands on as many."""
    lines = text.splitlines(keepends=True)
    if len(lines) < 2:
        return json.dumps(text, ensure_ascii=False)
    return "\n".join(['""', *(json.dumps(line, ensure_ascii=False) for line in lines)])


def main(arguments: list[str]) -> int:
    check = "--check" in arguments
    begun = {FOLDER / f"{code}.po" for code in arguments if not code.startswith("-")}
    stale = []
    for path in sorted({*FOLDER.glob("*.po"), *begun}):
        text = current(path)
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            stale.append(path.name)
            if not check:
                path.write_text(text, encoding="utf-8")
    print(f"{'not current' if check else 'written'}: {', '.join(stale) or 'none'}")
    return int(check and bool(stale))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
