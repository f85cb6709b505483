"""Sub- and superscript as plain characters: x² and H₂O, never x2 and H2O."""

from __future__ import annotations

RAISED = frozenset(("sub", "sup"))

_SUPER = str.maketrans("0123456789+-−=()ni", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿⁱ")
_SUB = str.maketrans("0123456789+-−=()", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎")
_PLAIN = frozenset("st nd rd th er e re tm sm r c ® ™ © * † ‡ § a o º ª".split())


def write_raised(text: str, style: str, is_note: bool) -> str:
    """Return a sub- or superscript: in Unicode where it has the characters, else x^y and x_y.

    A link to a note of the page becomes [1]. Ordinals (1st) and marks (™) stay as they are.
    """
    bare = text.strip()
    if not bare or bare.lower() in _PLAIN or len(bare) > 40:
        return text
    if is_note or bare.startswith("["):
        return text if bare.startswith("[") else f"[{bare}]"
    table = _SUPER if style == "sup" else _SUB
    if all(ord(c) in table for c in bare):
        return bare.translate(table)
    mark = "^" if style == "sup" else "_"
    return f"{mark}{bare}" if bare.isalnum() else f"{mark}({bare})"
