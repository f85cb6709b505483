"""Parse and match CSS selectors, as far as style sheets use them to hide elements.

Pseudo-elements and states such as `:hover` never match: they do not apply to a page at rest.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from kensaku.extract.html.tree import Element

_NAME = r"(?:[\w-]|[^\x00-\x7f]|\\.)+"
_TOKEN = re.compile(
    rf"(?P<comb>\s*[>+~]\s*|\s+)|(?P<any>\*)|\#(?P<id>{_NAME})|\.(?P<cls>{_NAME})"
    rf"|\[\s*(?P<attr>{_NAME})\s*(?:(?P<op>[~|^$*]?=)\s*(?P<val>\"[^\"]*\"|'[^']*'|[^\]\s]*)\s*[is]?\s*)?\]"
    rf"|(?P<pseudo>::?[\w-]+)(?:\((?P<arg>[^()]*(?:\([^()]*\)[^()]*)*)\))?|(?P<tag>{_NAME})"
)
_HEX_ESCAPE = re.compile(r"\\([0-9a-fA-F]{1,6})\s?")
_MAX_TOKENS = 60


@dataclass(slots=True)
class Compound:
    """The conditions on one element: `div.note[open]:not(.wide)`."""

    tag: str = ""
    id: str = ""
    classes: list[str] = field(default_factory=list)
    attributes: list[tuple[str, str, str]] = field(default_factory=list)
    positions: list[str] = field(default_factory=list)
    alternatives: list[list[Compound]] = field(default_factory=list)  # :is(), :where()
    exceptions: list[Compound] = field(default_factory=list)  # :not()

    def may_be(self, tag: str, id_: str | None, classes: list[str]) -> bool:
        """Tell whether an element with these names can match, whatever its other attributes."""
        if (self.tag and tag != self.tag) or (self.id and id_ != self.id):
            return False
        for name in self.classes:
            if name not in classes:
                return False
        return self.bare or (
            all(any(c.may_be(tag, id_, classes) for c in g) for g in self.alternatives)
            and not any(c.bare and c.may_be(tag, id_, classes) for c in self.exceptions)
        )

    def may_have(self, name: str, value: str) -> bool:
        """Tell whether an element with this attribute can match, whatever its other attributes."""
        return all(_value_matches(value, op, want) for n, op, want in self.attributes if n == name)

    def matches(self, element: Element) -> bool:
        """Tell whether the element, by itself and its position among siblings, matches."""
        if self.tag and element.tag != self.tag:
            return False
        if self.id and element.get("id") != self.id:
            return False
        if self.classes:
            has = element.get("class") or ""
            for name in self.classes:  # most fail already as parts of the text
                if name not in has or name not in has.split():
                    return False
        return self.bare or (
            all(_value_matches(element.get(name), op, want) for name, op, want in self.attributes)
            and all(_position_matches(element, p) for p in self.positions)
            and all(any(c.matches(element) for c in group) for group in self.alternatives)
            and not any(c.matches(element) for c in self.exceptions)
        )

    @property
    def bare(self) -> bool:
        """Whether it has conditions on names alone."""
        return not (self.attributes or self.positions or self.alternatives or self.exceptions)


@dataclass(slots=True)
class Selector:
    """Compounds from right to left, each with the combinator before it."""

    steps: list[tuple[str, Compound]]
    specificity: tuple[int, int, int]

    def matches(self, element: Element) -> bool:
        """Tell whether the element and its ancestors match."""
        return self.steps[0][1].matches(element) and self._matches_rest(element, 1)

    def _matches_rest(self, element: Element, at: int) -> bool:
        if at == len(self.steps):
            return True
        combinator, compound = self.steps[at - 1][0], self.steps[at][1]
        up = combinator in (" ", ">")
        other = element.getparent() if up else element.getprevious()
        while other is not None:
            if compound.matches(other) and self._matches_rest(other, at + 1):
                return True
            if combinator in (">", "+"):
                return False
            other = other.getparent() if up else other.getprevious()
        return False


def parse_selector(text: str) -> Selector | None:
    """Parse one selector; return None when it matches no element of a page at rest."""
    compounds, combinators = [Compound()], []
    position, tokens, weight = 0, 0, [0, 0, 0]
    text = text.strip()
    while position < len(text):
        match = _TOKEN.match(text, position)
        tokens += 1
        if not match or tokens > _MAX_TOKENS:
            return None
        position = match.end()
        if match["comb"] is not None:
            combinators.append(match["comb"].strip() or " ")
            compounds.append(Compound())
        elif not _add(compounds[-1], match, weight):
            return None
    # steps[i] carries the combinator that stands to its left
    steps = list(zip([*reversed(combinators), ""], reversed(compounds), strict=True))
    return Selector(steps, (weight[0], weight[1], weight[2]))


def unescape(name: str) -> str:
    """Remove the backslash escapes of a CSS name."""
    if "\\" not in name:
        return name
    name = _HEX_ESCAPE.sub(lambda m: chr(min(int(m[1], 16), 0x10FFFF)), name)
    return re.sub(r"\\(.)", r"\1", name)


def _add(compound: Compound, match: re.Match[str], weight: list[int]) -> bool:
    if match["id"] is not None:
        compound.id = unescape(match["id"])
        weight[0] += 1
    elif match["cls"] is not None:
        compound.classes.append(unescape(match["cls"]))
        weight[1] += 1
    elif match["attr"] is not None:
        value = (match["val"] or "").strip("\"'")
        compound.attributes.append((match["attr"].lower(), match["op"] or "", value))
        weight[1] += 1
    elif match["tag"] is not None:
        compound.tag = match["tag"].lower()
        weight[2] += 1
    elif match["pseudo"] is not None:
        weight[1] += 1
        return _add_pseudo(compound, match["pseudo"].lower(), match["arg"] or "")
    return True


def _add_pseudo(compound: Compound, name: str, argument: str) -> bool:
    if name in (":not", ":is", ":where", ":matches", ":-webkit-any"):
        parsed = [parse_selector(part) for part in argument.split(",")]
        group = [s.steps[0][1] for s in parsed if s is not None and len(s.steps) == 1]
        if name == ":not":
            compound.exceptions += group
        else:
            compound.alternatives.append(group)
        return True
    if name in (":root", ":first-child", ":last-child", ":only-child"):
        compound.positions.append(name)
        if name == ":root":
            compound.tag = compound.tag or "html"
        return True
    if name == ":nth-child" and argument.strip().isdigit():
        compound.positions.append(argument.strip())
        return True
    return False


def _value_matches(has: str | None, operator: str, value: str) -> bool:
    if has is None:
        return False
    if not operator:
        return True
    if operator == "=":
        return has == value
    if operator == "~=":
        return value in has.split()
    if operator == "|=":
        return has == value or has.startswith(value + "-")
    if not value:
        return False
    if operator == "^=":
        return has.startswith(value)
    return has.endswith(value) if operator == "$=" else value in has


def _position_matches(element: Element, position: str) -> bool:
    parent = element.getparent()
    if position == ":root" or parent is None:
        return parent is None
    first, last = element.getprevious() is None, element.getnext() is None
    if position == ":first-child":
        return first
    if position == ":last-child":
        return last
    if position == ":only-child":
        return first and last
    return bool(parent.index(element) + 1 == int(position))
