"""What a reader of the page does not see, and what a model must therefore not read.

    element → by its name | by its attributes | by what its style declares → kept or left out

Visibility, size, indent and colour are inherited and may be set again further in; the rest takes
everything inside with it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from kensaku.extract.html.tree import Element, lxml_etree
from kensaku.extract.visible.colour import WHITE, Colour, find_colour, near
from kensaku.extract.visible.css import Declarations, StyleSheet, at_rule_holds, cascade
from kensaku.extract.visible.toggles import Reveal

# Never rendered as text, or only where scripts, plugins or frames do not work.
_UNSEEN = frozenset(
    "applet area audio base basefont canvas command datalist embed frame frameset head iframe "
    "input link map meta meter noembed noframes noscript object optgroup option param progress rp "
    "script select source style svg template textarea title track video annotation annotation-xml "
    "mtext ms maction".split()
)
# Scripts hide these while they start, or behind a dialog; the reader sees them in the end.
_WHOLE_PAGE = frozenset(("html", "body", "main"))
_DYED = frozenset(("font", "body"))  # have attributes for colours
_SIMPLE_PAGE_CSS = 30_000  # characters: beyond this, what lies under a text cannot be told


@dataclass(frozen=True, slots=True, eq=False)
class Look:
    """How text looks at one place of the tree, as far as it can hide it."""

    invisible: bool = False
    tiny: bool = False
    indented: bool = False
    colour: Colour | None = None
    ground: Colour | None = None  # None: not known
    hides: bool = field(init=False)  # whether text with this look is not seen

    def __post_init__(self) -> None:
        object.__setattr__(self, "hides", self._hides())  # asked far more often than made

    def _hides(self) -> bool:
        if self.invisible or self.tiny or self.indented:
            return True
        if self.colour is None:
            return False
        if self.colour[3] < 0.05:
            return True
        return self.ground is not None and near(self.colour, self.ground)


_PLAIN = Look()


class Sight:
    """Judges the elements of one page."""

    def __init__(self, root: Element, *, scripts: bool = True) -> None:
        """With `scripts` as in a browser that runs them; without, `noscript` is what is seen."""
        self.unseen = _UNSEEN if scripts else _UNSEEN - {"noscript"}
        sheets = [s.text or "" for s in root.iter("style") if _on_screen(s.get("media"))]
        linked = any("stylesheet" in (e.get("rel") or "").lower() for e in root.iter("link"))
        self._covered = False  # whether the page is invisible until its scripts have run
        self._knows_ground = not linked and sum(map(len, sheets)) <= _SIMPLE_PAGE_CSS
        self._sheet = StyleSheet(sheets, _names(root) if sheets else set(), self._could_hide)
        self._reveal = Reveal(root)
        self._known: dict[tuple[str, Look], Look] = {}  # by inline style and the look around it
        ground = WHITE if self._knows_ground else None
        self.first = Look(ground=ground)

    def look(
        self, element: Element, tag: str, attributes: dict[str, str], outer: Look
    ) -> Look | None:
        """How text inside `element` looks; None when nothing inside of it is seen.

        Elements whose tag is in `unseen` need not be asked about.
        """
        if not attributes and tag != "dialog" and not self._sheet.reaches_tag(tag):
            return outer
        if _switched_off(tag, attributes) and not self._shown(element, attributes):
            return None
        style = attributes.get("style", "")
        rules = self._sheet.reaching(element, tag, attributes)
        legacy = _legacy(tag, attributes) if tag in _DYED or "bgcolor" in attributes else {}
        alone = not rules and not legacy and tag not in _WHOLE_PAGE
        if alone:
            if not style:
                return outer
            if (known := self._known.get((style, outer))) is not None:
                return known
        declared = legacy | cascade(rules, style)
        if tag in _WHOLE_PAGE:
            return self._inherit(declared, outer, ("visibility",))
        if _removed(declared) or self._inherit(declared, _PLAIN).hides:
            rules = self._sheet.reaching(element, tag, attributes, fully=True)
            return self._if_shown(element, attributes, legacy | cascade(rules, style), outer)
        look = self._inherit(declared, outer)
        if alone:
            self._known[style, outer] = look
        return look

    def _if_shown(
        self, element: Element, attributes: dict[str, str], declared: Declarations, outer: Look
    ) -> Look | None:
        """The look of an element that has cause to be hidden."""
        if _removed(declared) and not self._shown(element, attributes, declared):
            return None
        look = self._inherit(declared, outer)
        if look.invisible and not outer.invisible and self._reveal.is_the_page(element):
            self._covered = True
            self._known.clear()
            return replace(look, invisible=False)
        return look

    def _shown(
        self, element: Element, attributes: dict[str, str], declared: Declarations | None = None
    ) -> bool:
        """Whether the reader sees in the end what the page hides at first."""
        if self._reveal.opens(element, attributes):
            return True
        if declared and self._reveal.slides_in(declared):
            calm = {n: v for n, v in declared.items() if n not in ("opacity", "filter")}
            if not _removed(calm):
                return True
        return self._reveal.is_the_page(element)

    def _could_hide(self, declared: Declarations) -> bool:
        """Whether one rule hides text by itself, or does when another rule cuts what overflows."""
        if _removed(declared | {"overflow": "hidden"}):
            return True
        if self._knows_ground and ("color" in declared or "background" in declared):
            return True
        return self._inherit(declared, _PLAIN).hides

    def _inherit(self, declared: Declarations, outer: Look, ignored: tuple[str, ...] = ()) -> Look:
        look = outer
        value = declared.get("visibility")
        if value and "visibility" not in ignored and not self._covered:
            look = replace(look, invisible=value in ("hidden", "collapse"))
        size = declared.get("font-size") or _font_shorthand(declared.get("font"))
        if size and (pixels := _pixels(size)) is not None:
            look = replace(look, tiny=pixels <= 2)
        if indent := declared.get("text-indent"):
            look = replace(look, indented=(_pixels(indent) or 0) <= -500)
        ground = declared.get("background-color") or declared.get("background")
        if ground or "background-image" in declared:
            look = replace(look, ground=self._ground(declared, ground or "", outer))
        colour = declared.get("-webkit-text-fill-color") or declared.get("color")
        if colour and "text" in declared.get("background-clip", "") + declared.get(
            "-webkit-background-clip", ""
        ):
            return replace(look, colour=None)  # letters as windows onto a picture
        if colour and (found := find_colour(colour)):
            look = replace(look, colour=found)
            if not self._knows_ground and not ground:
                look = replace(look, ground=None)
        return look

    def _ground(self, declared: Declarations, value: str, outer: Look) -> Colour | None:
        if any(w in value + declared.get("background-image", "") for w in ("url(", "gradient")):
            return None
        found = find_colour(value)
        if found is None or found[3] == 0:
            return outer.ground
        return found if found[3] > 0.9 else None


def _names(root: Element) -> set[str]:
    """All classes and ids of the page."""
    xpath = lxml_etree().XPath
    names = set(xpath("//*/@id", smart_strings=False)(root))
    for value in set(xpath("//*/@class", smart_strings=False)(root)):
        names.update(value.split())
    return names


def _on_screen(media: str | None) -> bool:
    return not media or at_rule_holds("@media " + media)


_SWITCHES = frozenset(("hidden", "popover", "inert", "aria-hidden"))


def _switched_off(tag: str, attributes: dict[str, str]) -> bool:
    if tag == "dialog" and "open" not in attributes:
        return True
    if _SWITCHES.isdisjoint(attributes) or tag in _WHOLE_PAGE:
        return False
    if "hidden" in attributes or "popover" in attributes or "inert" in attributes:
        return True
    return attributes["aria-hidden"].strip().lower() == "true"


def _legacy(tag: str, attributes: dict[str, str]) -> Declarations:
    declared: Declarations = {}
    if tag == "font" and "color" in attributes:
        declared["color"] = attributes["color"].lower()
    if tag == "body" and "text" in attributes:
        declared["color"] = attributes["text"].lower()
    if "bgcolor" in attributes:
        declared["background-color"] = attributes["bgcolor"].lower()
    return declared


def _removed(declared: Declarations) -> bool:
    """Whether the element takes everything inside of it out of sight."""
    get = declared.get
    if get("display") == "none" or get("content-visibility") == "hidden":
        return True
    if _number(get("opacity"), 1.0) <= 0.05 or "opacity(0" in get("filter", ""):
        return True
    return _clipped(declared) or _collapsed(declared) or _moved_away(declared)


_EMPTY_CLIP = re.compile(
    r"rect\((?:\s*[01](?:px)?[\s,]*){4}\)|inset\(\s*(?:50|[6-9]\d|100)%|circle\(\s*0(?![.\d])"
    r"|ellipse\(\s*0(?![.\d])|polygon\((?:\s*0(?:px|%)?[\s,]*)+\)"
)


def _clipped(declared: Declarations) -> bool:
    clip = declared.get("clip", "") + " " + declared.get("clip-path", "")
    return len(clip) > 1 and bool(_EMPTY_CLIP.search(clip + declared.get("-webkit-clip-path", "")))


def _collapsed(declared: Declarations) -> bool:
    get = declared.get
    overflow = get("overflow", "") + get("overflow-x", "") + get("overflow-y", "")
    if "hidden" in overflow or "clip" in overflow:
        sizes = [_pixels(get(n, "")) for n in ("height", "max-height", "width", "max-width")]
        if any(s is not None and s <= 1 for s in sizes):
            return True
    if _number(get("zoom"), 1.0) == 0 or _number(get("scale"), 1.0) == 0:
        return True
    spacing = _pixels(get("letter-spacing", ""))
    if spacing is not None and spacing <= -10:
        return True
    transform = get("transform") or get("-webkit-transform") or ""
    return bool(transform) and bool(_NO_SIZE.search(transform))


_NO_SIZE = re.compile(
    r"scale(?:3d|x|y)?\(\s*0?\.?0*\s*[,)]|scale\([^,()]*,\s*0?\.?0*\s*\)|rotate[xy]\(\s*-?90deg"
)
_SHIFT = re.compile(r"translate(3d|x|y)?\(\s*([^,()]+)(?:,\s*([^,()]+))?")
_SIDES = frozenset(
    "left top right bottom inset margin margin-left margin-top margin-right inset-inline-start "
    "inset-block-start margin-inline-start".split()
)


def _moved_away(declared: Declarations) -> bool:
    for side in _SIDES & declared.keys():
        value = declared[side]
        if any((_pixels(v) or 0) <= -900 for v in value.split()):
            return True
        if side in ("left", "top") and (_pixels(value) or 0) >= 5000:
            return True
    shift = declared.get("transform") or declared.get("translate") or ""
    if match := _SHIFT.search(shift):
        # A slide show moves its track by thousands of pixels, always in three dimensions.
        far = -9000.0 if match[1] == "3d" else -2000.0
        return any(v and "%" not in v and (_pixels(v) or 0) <= far for v in (match[2], match[3]))
    return bool(shift) and any((_pixels(v) or 0) <= -2000 for v in shift.split())


_LENGTH = re.compile(r"([+-]?\d{0,7}\.?\d{0,7}(?:e\d{1,2})?)\s*([a-z%]*)")
_UNITS = {"em": 16, "rem": 16, "ex": 8, "ch": 8, "vw": 12.8, "vh": 8, "vmin": 8, "vmax": 12.8}
_UNITS |= {"%": 4, "pt": 4 / 3, "cm": 37.8, "mm": 3.78, "in": 96, "pc": 16}


def _pixels(value: str) -> float | None:
    match = _LENGTH.fullmatch(value.strip())
    if not match or not match[1].strip("+-."):
        return None
    try:
        return float(match[1]) * _UNITS.get(match[2], 1)
    except ValueError:
        return None


def _number(value: str | None, default: float) -> float:
    if not value:
        return default
    try:
        return float(value.rstrip("%")) / (100 if value.endswith("%") else 1)
    except ValueError:
        return default


def _font_shorthand(value: str | None) -> str | None:
    if not value:
        return None
    match = re.search(r"(?:^|\s)(\d{0,5}\.?\d{1,5}(?:px|em|rem|pt|%)?)(?=[\s/])", value)
    return match[1] if match and match[1] not in _WEIGHTS else None


_WEIGHTS = frozenset(str(n) for n in range(100, 1000, 100))
