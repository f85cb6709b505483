"""Find the text that readers of a page do not see, and that a model must therefore not read.

    element → by its tag | by its attributes | by the declarations that apply → visible or hidden

Visibility, size, indent and colour are inherited and may be set again further in; everything else
hides the whole subtree.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from kensaku.extract.html.tree import Element, lxml_etree
from kensaku.extract.visible.colour import WHITE, Colour, find_colour, near
from kensaku.extract.visible.css import Declarations, StyleSheet, cascade
from kensaku.extract.visible.declarations import font_size, hides_subtree, pixels
from kensaku.extract.visible.media import at_rule_applies
from kensaku.extract.visible.toggles import Toggles
from kensaku.extract.visible.utilities import utility_declarations

# Never rendered as text, or only where scripts, plugins or frames do not work.
_HIDDEN_TAGS = frozenset(
    "applet area audio base basefont canvas command datalist embed frame frameset head iframe "
    "input link map meta meter noembed noframes noscript object optgroup option param progress rp "
    "script select source style svg template textarea title track video annotation annotation-xml "
    "mtext ms maction".split()
)
# Scripts hide these while they start, or behind a dialog; the reader sees them later.
_WHOLE_PAGE = frozenset(("html", "body", "main"))
_COLOURED = frozenset(("font", "body"))  # have attributes for colours
_SIMPLE_PAGE_CSS = 30_000  # characters: with more CSS, the background of a text is not known


@dataclass(frozen=True, slots=True, eq=False)
class TextVisibility:
    """The inherited properties that can hide the text of an element."""

    invisible: bool = False
    tiny: bool = False
    indented: bool = False
    colour: Colour | None = None
    background: Colour | None = None  # None: not known
    hides: bool = field(init=False)  # whether such text cannot be seen

    def __post_init__(self) -> None:
        object.__setattr__(self, "hides", self._hides())  # read far more often than made

    def _hides(self) -> bool:
        if self.invisible or self.tiny or self.indented:
            return True
        if self.colour is None:
            return False
        if self.colour[3] < 0.05:
            return True
        return self.background is not None and near(self.colour, self.background)


_VISIBLE = TextVisibility()
_COLOURS = frozenset(("color", "-webkit-text-fill-color", "background", "background-color"))


class PageVisibility:
    """Decide which elements of one page are visible."""

    def __init__(self, root: Element, *, scripts: bool = True) -> None:
        """Apply the style sheets inside the page. Without `scripts`, `noscript` is visible."""
        self.hidden_tags = _HIDDEN_TAGS if scripts else _HIDDEN_TAGS - {"noscript"}
        sheets = [s.text or "" for s in root.iter("style") if _on_screen(s.get("media"))]
        linked = any("stylesheet" in (e.get("rel") or "").lower() for e in root.iter("link"))
        self._covered = False  # whether the page is hidden until its scripts have run
        self._knows_background = not linked and sum(map(len, sheets)) <= _SIMPLE_PAGE_CSS
        self._sheet = StyleSheet(sheets, _names(root) if sheets else set(), self._could_hide)
        self._toggles = Toggles(root)
        # By inline style and inherited visibility.
        self._cache: dict[tuple[str, TextVisibility], TextVisibility] = {}
        self.initial = TextVisibility(background=WHITE if self._knows_background else None)

    def of(
        self, element: Element, tag: str, attributes: dict[str, str], outer: TextVisibility
    ) -> TextVisibility | None:
        """Return the visibility of text inside `element`; None when its whole subtree is hidden.

        The caller skips elements whose tag is in `hidden_tags`.
        """
        if not attributes and tag != "dialog" and not self._sheet.may_match_tag(tag):
            return outer
        if (
            (tag == "dialog" or not _HIDING_ATTRIBUTES.isdisjoint(attributes))
            and _hidden_by_attribute(tag, attributes)
            and not self._is_revealed(element, attributes)
        ):
            return None
        style = attributes.get("style", "")
        rules = self._sheet.matching(element, tag, attributes) if self._sheet.rules else []
        # Of lower rank than any rule of the page.
        legacy = utility_declarations(attributes["class"]) if "class" in attributes else {}
        if tag in _COLOURED or "bgcolor" in attributes:
            legacy = legacy | _presentational(tag, attributes)
        alone = not rules and not legacy and tag not in _WHOLE_PAGE
        if alone:
            if not style:
                return outer
            if (cached := self._cache.get((style, outer))) is not None:
                return cached
        declared = legacy | cascade(rules, style)
        if tag in _WHOLE_PAGE:
            return self._inherit(declared, outer, ("visibility",))
        if _may_hide_subtree(declared) or self._inherit(declared, _VISIBLE).hides:
            rules = self._sheet.matching(element, tag, attributes, fully=True)
            return self._unless_revealed(element, attributes, legacy | cascade(rules, style), outer)
        visibility = self._inherit(declared, outer)
        if alone:
            self._cache[style, outer] = visibility
        return visibility

    def _unless_revealed(
        self,
        element: Element,
        attributes: dict[str, str],
        declared: Declarations,
        outer: TextVisibility,
    ) -> TextVisibility | None:
        """Return the visibility of an element that is hidden, unless something reveals it."""
        if hides_subtree(declared):
            if not self._is_revealed(element, attributes, declared):
                return None
            return self._inherit(declared, outer, ("visibility",))
        visibility = self._inherit(declared, outer)
        if not visibility.invisible or outer.invisible:
            return visibility
        if self._toggles.is_toggled(element, attributes):
            return replace(visibility, invisible=False)
        if self._toggles.is_whole_page(element):
            self._covered = True
            self._cache.clear()
            return replace(visibility, invisible=False)
        return visibility

    def _is_revealed(
        self, element: Element, attributes: dict[str, str], declared: Declarations | None = None
    ) -> bool:
        """Tell whether a click or the page's own start shows the element."""
        if self._toggles.is_toggled(element, attributes):
            return True
        if declared and self._toggles.is_animated(attributes, declared):
            settled = {n: v for n, v in declared.items() if n not in ("opacity", "filter")}
            if not hides_subtree(settled):
                return True
        return self._toggles.is_whole_page(element)

    def _could_hide(self, declared: Declarations) -> bool:
        """Tell whether a rule hides text, by itself or with what another rule may declare."""
        if _may_hide_subtree(declared):
            return True
        if self._knows_background and not _COLOURS.isdisjoint(declared):
            return True
        return self._inherit(declared, _VISIBLE).hides

    def _inherit(
        self, declared: Declarations, outer: TextVisibility, ignored: tuple[str, ...] = ()
    ) -> TextVisibility:
        visibility = outer
        value = declared.get("visibility")
        if value and "visibility" not in ignored and not self._covered:
            visibility = replace(visibility, invisible=value in ("hidden", "collapse"))
        size = declared.get("font-size") or font_size(declared.get("font"))
        if size and (height := pixels(size)) is not None:
            visibility = replace(visibility, tiny=height <= 2)
        if indent := declared.get("text-indent"):
            visibility = replace(visibility, indented=(pixels(indent) or 0) <= -500)
        background = declared.get("background-color") or declared.get("background")
        if background or "background-image" in declared:
            visibility = replace(
                visibility, background=self._background(declared, background or "", outer)
            )
        colour = declared.get("-webkit-text-fill-color") or declared.get("color")
        if colour and "text" in declared.get("background-clip", "") + declared.get(
            "-webkit-background-clip", ""
        ):
            return replace(
                visibility, colour=None
            )  # the background image shows through the letters
        if colour and (parsed := find_colour(colour)):
            visibility = replace(visibility, colour=parsed)
            if not self._knows_background and not background:
                visibility = replace(visibility, background=None)
        return visibility

    def _background(
        self, declared: Declarations, value: str, outer: TextVisibility
    ) -> Colour | None:
        if any(w in value + declared.get("background-image", "") for w in ("url(", "gradient")):
            return None
        colour = find_colour(value)
        if colour is None or colour[3] == 0:
            return outer.background
        return colour if colour[3] > 0.9 else None


def _may_hide_subtree(declared: Declarations) -> bool:
    """Tell whether these hide an element together with a position and overflow of other rules."""
    return hides_subtree({"position": "absolute"} | declared | {"overflow": "hidden"})


def _names(root: Element) -> set[str]:
    """Return all classes and ids of the page."""
    xpath = lxml_etree().XPath
    names = set(xpath("//*/@id", smart_strings=False)(root))
    for value in set(xpath("//*/@class", smart_strings=False)(root)):
        names.update(value.split())
    return names


def _on_screen(media: str | None) -> bool:
    return not media or at_rule_applies("@media " + media)


_PRICE_TAGS = frozenset(("del", "ins"))
_HIDING_ATTRIBUTES = frozenset(("hidden", "popover", "inert", "aria-hidden"))


def _hidden_by_attribute(tag: str, attributes: dict[str, str]) -> bool:
    if tag == "dialog" and "open" not in attributes:
        return True
    if tag in _WHOLE_PAGE:
        return False
    if tag in _PRICE_TAGS:  # WooCommerce hides old and new prices from screen readers alone
        return "hidden" in attributes
    if "hidden" in attributes or "popover" in attributes or "inert" in attributes:
        return True
    return attributes.get("aria-hidden", "").strip().lower() == "true"


def _presentational(tag: str, attributes: dict[str, str]) -> Declarations:
    declared: Declarations = {}
    if tag == "font" and "color" in attributes:
        declared["color"] = attributes["color"].lower()
    if tag == "body" and "text" in attributes:
        declared["color"] = attributes["text"].lower()
    if "bgcolor" in attributes:
        declared["background-color"] = attributes["bgcolor"].lower()
    return declared
