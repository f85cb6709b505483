"""The style sheets inside a page: which declarations reach an element.

    <style> text → rules at rest on a desktop screen → by id, class, tag → what an element declares

Sheets that are linked are not fetched. Selectors and bodies are parsed when an element may need
them, so that a large sheet costs one scan.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from kensaku.extract.html.tree import Element
from kensaku.extract.visible.selector import Compound, Selector, parse_selector, unescape

Declarations = dict[str, str]

_COMMENT = re.compile(r"/\*(?:[^*]++|\*(?!/))*+(?:\*/)?")
_STRING = re.compile(r"\"(?:[^\"\\\n]|\\.)*+\"|'(?:[^'\\\n]|\\.)*+'")
_WORD_ESCAPE = re.compile(r"\\0{0,4}([3467][0-9a-f])\s?", re.IGNORECASE)  # an escaped letter
_BRACE = re.compile(r"([{}])")
_TELLING = re.compile(
    r"display|visibility|opacity|font|colou?r|background|left|right|top|bottom|inset|indent|clip"
    r"|height|width|overflow|transform|scale|zoom|filter|margin|spacing|translate|fill",
    re.IGNORECASE,
)
_KEY = re.compile(
    r"(?:\#((?:[\w-]|[^\x00-\x7f]|\\.)+)|\.((?:[\w-]|[^\x00-\x7f]|\\.)+)|^([a-zA-Z][\w-]*))"
)
_LAST_COMPOUND = re.compile(r"[^\s>+~]+$")
_SCREEN = 1280  # pixels: a desktop window


@dataclass(slots=True)
class Rule:
    """One selector with its declarations, ordinary and important; parsed when first needed."""

    text: str
    values: tuple[Declarations, Declarations]
    order: int
    parsed: bool = False
    selector: Selector | None = None

    def target(self) -> Compound | None:
        """What the element itself must be."""
        if not self.parsed:
            self.parsed = True
            self.selector = parse_selector(self.text)
        return self.selector.steps[0][1] if self.selector is not None else None

    def reaches(self, element: Element) -> bool:
        """Whether the selector matches; only asked when the target is known."""
        return self.selector is not None and self.selector.matches(element)


class _Index:
    """Rules by what an element must have for them to match."""

    def __init__(self) -> None:
        self.tags: dict[str, list[Rule]] = {}  # under "" the rules for any element
        self._names: dict[str, list[Rule]] = {}
        self._attributes: dict[str, list[Rule]] = {}
        # Names and values repeat all over a page, so what they rule out is found out once: the
        # rules left by tag, class and id, and by name and value of an attribute.
        self._by_names: dict[tuple[str, str | None, str | None], list[Rule]] = {}
        self._by_value: dict[tuple[str, str], list[Rule]] = {}

    def add(self, key: str, rule: Rule) -> None:
        if key[:1] == "[":
            self._attributes.setdefault(key[1:], []).append(rule)
        else:
            home = self._names if key[:1] in ("#", ".") else self.tags
            home.setdefault(key, []).append(rule)

    def reaching(self, element: Element, tag: str, attributes: dict[str, str]) -> list[Rule]:
        class_, id_ = attributes.get("class"), attributes.get("id")
        rules = self._by_names.get((tag, class_, id_))
        if rules is None:
            rules = self._by_names[tag, class_, id_] = self._named(tag, class_, id_)
        if self._attributes:
            for name in self._attributes.keys() & attributes.keys():
                rules = rules + self._valued(name, attributes[name])
        return [r for r in rules if r.reaches(element)] if rules else []

    def _valued(self, name: str, value: str) -> list[Rule]:
        rules = self._by_value.get((name, value))
        if rules is None:
            rules = self._by_value[name, value] = [
                r
                for r in self._attributes[name]
                if (target := r.target()) is not None and target.may_have(name, value)
            ]
        return rules

    def _named(self, tag: str, class_: str | None, id_: str | None) -> list[Rule]:
        classes = (class_ or "").split()
        rules = self.tags.get("", []) + self.tags.get(tag, [])
        for one in classes:
            rules += self._names.get("." + one, ())
        if id_ is not None:
            rules += self._names.get("#" + id_, ())
        return [
            r
            for r in rules
            if (target := r.target()) is not None and target.may_be(tag, id_, classes)
        ]


class StyleSheet:
    """All rules of a page that could bear on whether text is seen."""

    def __init__(
        self, sources: list[str], names: set[str], hides: Callable[[Declarations], bool]
    ) -> None:
        """Read the sheets.

        `names` are the classes and ids that the page uses; `hides` judges one rule's declarations.
        """
        self._all, self._hiding = _Index(), _Index()
        candidates: list[tuple[str, Rule]] = []
        hiding: set[str] = set()
        for source in sources:
            for selectors, body in _rules(source):
                if not _TELLING.search(body):
                    continue
                keys = [(k, t) for t in selectors.split(",") if (k := _key(t, names)) is not None]
                if not keys:
                    continue
                values = parse_declarations(body)
                if hides(values[0] | values[1]):
                    hiding.update(key for key, _ in keys)
                for key, text in keys:
                    candidates.append((key, Rule(text.strip(), values, len(candidates))))
        self.rules = len(hiding)
        for key, rule in candidates:
            self._all.add(key, rule)
            if key in hiding:
                self._hiding.add(key, rule)

    def reaches_tag(self, tag: str) -> bool:
        """Whether a rule may hide elements for their tag alone."""
        return tag in self._hiding.tags or "" in self._hiding.tags

    def reaching(
        self, element: Element, tag: str, attributes: dict[str, str], *, fully: bool = False
    ) -> list[Rule]:
        """The rules that match the element.

        Without `fully` only rules are asked whose kind of element some rule hides: most elements
        need no more, and a sheet has thousands of rules.
        """
        if not self.rules:
            return []
        return (self._all if fully else self._hiding).reaching(element, tag, attributes)


def cascade(rules: list[Rule], style: str) -> Declarations:
    """What holds for an element that these rules reach and that has this style of its own."""
    normal, important = parse_declarations(style)
    if not rules:
        return normal | important
    rules.sort(key=lambda r: (r.selector.specificity if r.selector else (0, 0, 0), r.order))
    result: Declarations = {}
    for rule in rules:
        result |= rule.values[0]
    result |= normal
    for rule in rules:
        result |= rule.values[1]
    return result | important


def _key(selector: str, names: set[str]) -> str | None:
    """What an element must have for the selector to match it; None when none of the page has."""
    if ":" in selector and _NOT_AT_REST.search(selector):
        return None
    # What stands inside brackets asks for nothing that must be there: `:not(.open)`.
    bare = _BRACKETS.sub("", selector) if "(" in selector or "[" in selector else selector
    needed = _NAMES.findall(bare)
    if not names.issuperset(map(unescape, needed) if "\\" in bare else needed):
        return None
    if not selector.strip():
        return None
    last = _LAST_COMPOUND.search(bare.rstrip())
    found = _KEY.findall(last.group()) if last else []
    for kind, prefix in ((0, "#"), (1, "."), (2, "")):
        for groups in found:
            if groups[kind]:
                name = unescape(groups[kind])
                return prefix + name if prefix else name.lower()
    attribute = _ATTRIBUTE.search(selector)
    return "[" + attribute[1].lower() if attribute else ""


_NOT_AT_REST = re.compile(r"::|:(?:before|after|hover|focus|active|visited|checked|target|empty)")
_ATTRIBUTE = re.compile(r"\[\s*([\w-]+)[^\[\]]*\][^\s>+~]*$")
_BRACKETS = re.compile(r"\([^()]*\)|\[[^\]]*\]")
_NAMES = re.compile(r"[.#]((?:[\w-]|[^\x00-\x7f]|\\.)+)")


def parse_declarations(body: str) -> tuple[Declarations, Declarations]:
    """Properties and values in lower case: the ordinary ones, and the important ones."""
    normal: Declarations = {}
    important: Declarations = {}
    if "\\" in body:
        body = _WORD_ESCAPE.sub(lambda m: chr(int(m[1], 16)), body)
    if "/*" in body:
        body = _COMMENT.sub("", body)
    for part in body.lower().split(";"):
        name, colon, value = part.partition(":")
        if not colon:
            continue
        name, value = name.strip(), value.strip()
        if "!" in value:
            value = value.partition("!")[0].strip()
            important[name] = value
        else:
            normal[name] = value
    return normal, important


def _rules(css: str) -> list[tuple[str, str]]:
    """Selector lists with their bodies, of all blocks that hold on a desktop screen at rest."""
    css = _COMMENT.sub(" ", css)
    css = _STRING.sub(_harmless, css)
    found: list[tuple[str, str]] = []
    # Each open block: the selector list (None for an at-rule), whether it holds, its own text.
    stack: list[tuple[str | None, bool, list[str]]] = []
    parts = _BRACE.split(css)
    for piece, brace in zip(parts[::2], parts[1::2], strict=False):  # without what ends in none
        if brace == "{":
            before, _, prelude = piece.rpartition(";")
            if stack:
                stack[-1][2].append(before)
            stack.append(_opened(prelude.strip(), stack))
        elif stack:
            selector, holds, own = stack.pop()
            own.append(piece)
            if selector and holds:
                found.append((selector, ";".join(own)))
    return found


def _opened(
    prelude: str, stack: list[tuple[str | None, bool, list[str]]]
) -> tuple[str | None, bool, list[str]]:
    holds = stack[-1][1] if stack else True
    outer = stack[-1][0] if stack else None
    if prelude.startswith("@"):
        return outer, holds and at_rule_holds(prelude), []
    if outer and len(outer) + len(prelude) < 2_000:  # a rule nested in a rule
        inner = [p.strip() for p in prelude.split(",")]
        prelude = ",".join(
            i.replace("&", o) if "&" in i else f"{o} {i}" for o in outer.split(",") for i in inner
        )
    return prelude, holds, []


def _harmless(match: re.Match[str]) -> str:
    return '""' if any(c in match.group() for c in "{};,") else match.group()


def at_rule_holds(prelude: str) -> bool:
    """Whether the block of an at-rule applies on a desktop screen."""
    name, _, condition = prelude[1:].lower().partition(" ")
    name, bracket, rest = name.partition("(")
    if name == "media":
        return any(_query_holds(q.strip()) for q in (bracket + rest + " " + condition).split(","))
    if name == "supports":
        return not condition.strip().startswith("not")
    return name in ("layer", "scope", "document", "-moz-document")


def _query_holds(query: str) -> bool:
    if query.startswith("not "):
        return not _query_holds(query[4:])
    return all(_condition_holds(c.strip()) for c in query.removeprefix("only ").split(" and "))


def _condition_holds(condition: str) -> bool:
    if not condition.startswith("("):
        return condition in ("", "all", "screen")
    text = condition.strip("() ")
    if match := re.fullmatch(r"(min-|max-)?(?:device-)?width\s*(:|[<>]=?)\s*([\d.]+)(\w*)", text):
        prefix, operator, number, unit = match.groups()
        pixels = float(number or 0) * (16 if unit in ("em", "rem") else 1)
        if prefix == "min-" or operator.startswith(">"):
            return pixels <= _SCREEN
        return pixels >= _SCREEN
    return text.startswith(("min-", "hover: hover", "hover:hover", "pointer", "scripting")) or (
        text.endswith(("no-preference", "light", "landscape", "enabled"))
    )
