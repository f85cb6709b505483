"""The style sheets inside a page: which declarations apply to an element.

    <style> text → rules for a desktop screen → index by id, class, tag → declarations of an element

Linked sheets are not fetched. Selectors and bodies are parsed when an element may need them, so a
large sheet costs one scan.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from kensaku.errors import TooLarge
from kensaku.extract.html.tree import Element
from kensaku.extract.visible.media import at_rule_applies
from kensaku.extract.visible.selector import Compound, Selector, parse_selector, unescape
from kensaku.messages import msg

Declarations = dict[str, str]

_COMMENT = re.compile(r"/\*(?:[^*]++|\*(?!/))*+(?:\*/)?")
_STRING = re.compile(r"\"(?:[^\"\\\n]|\\.)*+\"|'(?:[^'\\\n]|\\.)*+'")
_ESCAPE = re.compile(r"\\(?:([0-9a-f]{1,6})\s?|(.))", re.IGNORECASE)
_BRACE = re.compile(r"([{}])")
_RELEVANT = re.compile(
    r"display|visibility|opacity|font|colou?r|background|left|right|top|bottom|inset|indent|clip"
    r"|height|width|overflow|transform|scale|zoom|filter|margin|spacing|translate|fill|mask|z-index|position",
    re.IGNORECASE,
)
_KEY = re.compile(
    r"(?:\#((?:[\w-]|[^\x00-\x7f]|\\.)+)|\.((?:[\w-]|[^\x00-\x7f]|\\.)+)|^([a-zA-Z][\w-]*))"
)
_LAST_COMPOUND = re.compile(r"[^\s>+~]+$")
# Beyond these bounds a page is refused: rules that are left out would show what they hide. Of 180
# real pages, one needs 28,000 tests of a rule on an element, which take about 5 µs each.
MOST_TESTS = 400_000
MOST_RULES = 40_000
_MOST_SELECTOR_CHARS = 6_000_000  # nesting multiplies selectors


@dataclass(slots=True)
class CssRule:
    """One selector with its declarations, ordinary and important; parsed when first needed."""

    text: str
    values: tuple[Declarations, Declarations]
    order: int
    parsed: bool = False
    selector: Selector | None = None

    def target(self) -> Compound | None:
        """Return the compound that the element itself must match."""
        if not self.parsed:
            self.parsed = True
            self.selector = parse_selector(self.text)
        return self.selector.steps[0][1] if self.selector is not None else None

    def matches(self, element: Element) -> bool:
        """Tell whether the selector matches; `target` must have been called before."""
        return self.selector is not None and self.selector.matches(element)

    def weight(self) -> tuple[tuple[int, int, int], int]:
        """Return what decides between rules that match: the selector, then the order."""
        assert self.selector is not None
        return self.selector.specificity, self.order


class _RuleIndex:
    """Rules by the name or attribute that an element must have for them to match."""

    def __init__(self) -> None:
        self.tags: dict[str, list[CssRule]] = {}  # under "" the rules for any element
        self._names: dict[str, list[CssRule]] = {}
        self._attributes: dict[str, list[CssRule]] = {}
        # Names and values repeat all over a page, so candidates are cached: by tag, class and id,
        # and by name and value of an attribute.
        self._by_names: dict[tuple[str, str | None, str | None], list[CssRule]] = {}
        self._by_value: dict[tuple[str, str], list[CssRule]] = {}
        self._tests = 0

    def add(self, key: str, rule: CssRule) -> None:
        if key[:1] == "[":
            self._attributes.setdefault(key[1:], []).append(rule)
        else:
            table = self._names if key[:1] in ("#", ".") else self.tags
            table.setdefault(key, []).append(rule)

    def matching(self, element: Element, tag: str, attributes: dict[str, str]) -> list[CssRule]:
        class_, id_ = attributes.get("class"), attributes.get("id")
        rules = self._by_names.get((tag, class_, id_))
        if rules is None:
            rules = self._by_names[tag, class_, id_] = self._candidates(tag, class_, id_)
        if self._attributes:
            for name in self._attributes.keys() & attributes.keys():
                rules = rules + self._attribute_candidates(name, attributes[name])
        if not rules:
            return []
        self._count_tests(len(rules))
        return [r for r in rules if r.matches(element)]

    def _count_tests(self, count: int) -> None:
        self._tests += count
        if self._tests > MOST_TESTS:
            raise TooLarge(
                msg(
                    "the style sheets of the page need more than {most_tests:,} tests of its "
                    "elements",
                    most_tests=MOST_TESTS,
                )
            )

    def _attribute_candidates(self, name: str, value: str) -> list[CssRule]:
        rules = self._by_value.get((name, value))
        if rules is None:
            self._count_tests(len(self._attributes[name]))
            rules = self._by_value[name, value] = [
                r
                for r in self._attributes[name]
                if (target := r.target()) is not None and target.may_have(name, value)
            ]
        return rules

    def _candidates(self, tag: str, class_: str | None, id_: str | None) -> list[CssRule]:
        classes = (class_ or "").split()
        rules = self.tags.get("", []) + self.tags.get(tag, [])
        for name in classes:
            rules += self._names.get("." + name, ())
        if id_ is not None:
            rules += self._names.get("#" + id_, ())
        self._count_tests(len(rules))
        return [
            r
            for r in rules
            if (target := r.target()) is not None and target.may_be(tag, id_, classes)
        ]


class StyleSheet:
    """All rules of a page that could hide text."""

    def __init__(
        self, sources: list[str], names: set[str], hides: Callable[[Declarations], bool]
    ) -> None:
        """Parse the sheets.

        `names` are the classes and ids that the page uses; `hides` tells whether the declarations
        of one rule hide text.
        """
        self._all, self._hiding = _RuleIndex(), _RuleIndex()
        candidates: list[tuple[str, CssRule]] = []
        hiding: set[str] = set()
        for source in sources:
            for selectors, body in _rules(source):
                if not _RELEVANT.search(body):
                    continue
                keys = [(k, t) for t in selectors.split(",") if (k := _key(t, names)) is not None]
                if not keys:
                    continue
                values = parse_declarations(body)
                if hides(values[0] | values[1]):
                    hiding.update(key for key, _ in keys)
                if len(candidates) + len(keys) > MOST_RULES:
                    raise TooLarge(
                        msg(
                            "more than {most_rules:,} style rules apply to the page",
                            most_rules=MOST_RULES,
                        )
                    )
                for key, text in keys:
                    candidates.append((key, CssRule(text.strip(), values, len(candidates))))
        self.rules = len(hiding)  # where there are none, nothing matches without `fully`
        for key, rule in candidates:
            self._all.add(key, rule)
            if key in hiding:
                self._hiding.add(key, rule)

    def may_match_tag(self, tag: str) -> bool:
        """Tell whether a rule may hide elements by their tag alone."""
        return tag in self._hiding.tags or "" in self._hiding.tags

    def matching(
        self, element: Element, tag: str, attributes: dict[str, str], *, fully: bool = False
    ) -> list[CssRule]:
        """Return the rules that match the element.

        Without `fully`, only rules under keys that some rule hides are considered: most elements
        need no more, and a sheet has thousands of rules.
        """
        return (self._all if fully else self._hiding).matching(element, tag, attributes)


def cascade(rules: list[CssRule], style: str) -> Declarations:
    """Return the declarations that win for an element with these rules and this inline style."""
    normal, important = parse_declarations(style)
    if not rules:
        return normal | important
    rules.sort(key=CssRule.weight)
    result: Declarations = {}
    for rule in rules:
        result |= rule.values[0]
    result |= normal
    for rule in rules:
        result |= rule.values[1]
    return result | important


def _key(selector: str, names: set[str]) -> str | None:
    """Return the key under which a selector is indexed; None when it can match no element."""
    if ":" in selector and _STATEFUL.search(selector):
        return None
    # Names inside brackets need not be on the page: `:not(.open)`.
    bare = _BRACKETS.sub("", selector) if "(" in selector or "[" in selector else selector
    needed = _NAMES.findall(bare)
    if not names.issuperset(map(unescape, needed) if "\\" in bare else needed):
        return None
    if not selector.strip():
        return None
    last = _LAST_COMPOUND.search(bare.rstrip())
    candidates = _KEY.findall(last.group()) if last else []
    for kind, prefix in ((0, "#"), (1, "."), (2, "")):
        for groups in candidates:
            if groups[kind]:
                name = unescape(groups[kind])
                return prefix + name if prefix else name.lower()
    attribute = _ATTRIBUTE.search(selector)
    return "[" + attribute[1].lower() if attribute else ""


_STATEFUL = re.compile(r"::|:(?:before|after|hover|focus|active|visited|checked|target|empty)")
_ATTRIBUTE = re.compile(r"\[\s*([\w-]+)[^\[\]]*\][^\s>+~]*$")
_BRACKETS = re.compile(r"\([^()]*\)|\[[^\]]*\]")
_NAMES = re.compile(r"[.#]((?:[\w-]|[^\x00-\x7f]|\\.)+)")


def parse_declarations(body: str) -> tuple[Declarations, Declarations]:
    """Parse properties and values, in lower case: the ordinary ones, and the important ones."""
    normal: Declarations = {}
    important: Declarations = {}
    body = _with_plain_letters(body)
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
    """Return selector lists with their bodies, of all blocks that apply on a desktop screen."""
    css = _with_plain_letters(_COMMENT.sub(" ", css))
    css = _STRING.sub(_neutralize, css)
    rules: list[tuple[str, str]] = []
    chars = 0
    # Each open block: the selector list (None for an at-rule), whether it applies, its own text.
    stack: list[tuple[str | None, bool, list[str]]] = []
    parts = _BRACE.split(css)
    for piece, brace in zip(parts[::2], parts[1::2], strict=False):  # the last piece has no brace
        if brace == "{":
            before, _, prelude = piece.rpartition(";")
            if stack:
                stack[-1][2].append(before)
            stack.append(_open_block(prelude.strip(), stack))
        elif stack:
            selector, holds, own = stack.pop()
            own.append(piece)
            if selector and holds:
                chars += len(selector)
                if chars > _MOST_SELECTOR_CHARS:
                    raise TooLarge(msg("the nested rules of the page's style sheets are too many"))
                rules.append((selector, ";".join(own)))
    return rules


def _open_block(
    prelude: str, stack: list[tuple[str | None, bool, list[str]]]
) -> tuple[str | None, bool, list[str]]:
    holds = stack[-1][1] if stack else True
    outer = stack[-1][0] if stack else None
    if prelude.startswith("@"):
        return outer, holds and at_rule_applies(prelude), []
    if outer and len(outer) + len(prelude) < 2_000:  # a rule nested in a rule
        inner = [p.strip() for p in prelude.split(",")]
        prelude = ",".join(
            i.replace("&", o) if "&" in i else f"{o} {i}" for o in outer.split(",") for i in inner
        )
    return prelude, holds, []


def _with_plain_letters(css: str) -> str:
    """Write escaped letters as letters: they hide a name from us, and not from a browser."""
    return _ESCAPE.sub(_plain_letter, css) if "\\" in css else css


def _plain_letter(match: re.Match[str]) -> str:
    code = int(match[1], 16) if match[1] else ord(match[2])
    letter = chr(code) if code < 128 else ""
    return letter if letter.isalpha() else match.group()


def _neutralize(match: re.Match[str]) -> str:
    return '""' if any(c in match.group() for c in "{};,") else match.group()
