"""CSS declarations that hide an element: not displayed, transparent, clipped or off screen."""

from __future__ import annotations

import re

from kensaku.extract.visible.css import Declarations


def hides_subtree(declared: Declarations) -> bool:
    """Tell whether the declarations hide the element and everything inside it."""
    get = declared.get
    if get("display") == "none" or get("content-visibility") == "hidden":
        return True
    if _number(get("opacity"), 1.0) <= 0.05 or "opacity(0" in get("filter", ""):
        return True
    if _is_clipped(declared) or _is_collapsed(declared) or _is_off_screen(declared):
        return True
    return _is_behind(declared) or _is_masked(declared)


_EMPTY_CLIP = re.compile(
    r"rect\((?:\s*[01](?:px)?[\s,]*){4}\)|inset\(\s*(?:50|[6-9]\d|100)%|circle\(\s*0(?![.\d])"
    r"|ellipse\(\s*0(?![.\d])|polygon\((?:\s*0(?:px|%)?[\s,]*)+\)"
)


def _is_clipped(declared: Declarations) -> bool:
    clips = (declared.get(name, "") for name in ("clip", "clip-path", "-webkit-clip-path"))
    return bool(_EMPTY_CLIP.search(" ".join(clips)))


def _is_behind(declared: Declarations) -> bool:
    """Tell whether an element is painted below the backgrounds of the others."""
    index = _number(declared.get("z-index"), 0.0)
    return index < 0 and declared.get("position", "static") not in ("", "static")


_ZERO = r"0(?:\.0*)?(?:px|%|em|rem)?"
_NO_MASK_SIZE = re.compile(rf"{_ZERO}(?:\s+\S+)?|\S+\s+{_ZERO}")
_CLEAR = r"(?:transparent|#0000(?:0000)?|rgba?\([^()]{1,40}[,/]\s*0%?\))"
_EMPTY_MASK = re.compile(
    rf"gradient\((?:\s*(?:to [a-z ]{{3,20}},\s*)?{_CLEAR}\s*,?){{1,8}}\)|/\s*{_ZERO}(?=[\s,]|$)"
)


def _is_masked(declared: Declarations) -> bool:
    """Tell whether a mask lets nothing of the element through."""
    for prefix in ("", "-webkit-"):
        if _NO_MASK_SIZE.fullmatch(declared.get(f"{prefix}mask-size", "")):
            return True
        mask = declared.get(f"{prefix}mask", "") + " " + declared.get(f"{prefix}mask-image", "")
        if _EMPTY_MASK.search(mask):
            return True
    return False


def _is_collapsed(declared: Declarations) -> bool:
    get = declared.get
    overflow = get("overflow", "") + get("overflow-x", "") + get("overflow-y", "")
    if "hidden" in overflow or "clip" in overflow:
        sizes = [pixels(get(n, "")) for n in ("height", "max-height", "width", "max-width")]
        if any(s is not None and s <= 1 for s in sizes):
            return True
    if _number(get("zoom"), 1.0) == 0 or _number(get("scale"), 1.0) == 0:
        return True
    spacing = pixels(get("letter-spacing", ""))
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


def _is_off_screen(declared: Declarations) -> bool:
    for side in _SIDES & declared.keys():
        value = declared[side]
        if any(_offset(v) <= -900 for v in value.split()):
            return True
        if side in ("left", "top") and _offset(value) >= 5000:
            return True
    shift = declared.get("transform") or declared.get("translate") or ""
    if match := _SHIFT.search(shift):
        # A slide show moves its track by thousands of pixels, always in three dimensions.
        far = -9000.0 if match[1] == "3d" else -2000.0
        return any(v and "%" not in v and _offset(v) <= far for v in (match[2], match[3]))
    return bool(shift) and any(_offset(v) <= -2000 for v in shift.split())


def _offset(value: str) -> float:
    """Return pixels; 0 if the value is not a length."""
    return pixels(value) or 0.0


_LENGTH = re.compile(r"([+-]?\d{0,7}\.?\d{0,7}(?:e\d{1,2})?)\s*([a-z%]*)")
_UNITS = {"em": 16, "rem": 16, "ex": 8, "ch": 8, "vw": 12.8, "vh": 8, "vmin": 8, "vmax": 12.8}
_UNITS |= {"%": 4, "pt": 4 / 3, "cm": 37.8, "mm": 3.78, "in": 96, "pc": 16}


def pixels(value: str) -> float | None:
    """Return a CSS length in pixels, roughly; None when it is none."""
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


def font_size(value: str | None) -> str | None:
    """Return the size in a `font` shorthand."""
    if not value:
        return None
    return next((s for s in _FONT_NUMBER.findall(value) if s not in _WEIGHTS), None)


_FONT_NUMBER = re.compile(r"(?:^|\s)(\d{0,5}\.?\d{1,5}(?:px|em|rem|pt|%)?)(?=[\s/])")
_WEIGHTS = frozenset(str(n) for n in range(100, 1000, 100))
