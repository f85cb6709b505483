"""Parse and compare CSS colours, to find text that is hidden by its colour."""

from __future__ import annotations

import colorsys
import re

Colour = tuple[float, float, float, float]  # red, green, blue in 0..255, alpha in 0..1

_NAMED = {
    "white": 0xFFFFFF, "black": 0, "red": 0xFF0000, "green": 0x008000, "blue": 0x0000FF,
    "yellow": 0xFFFF00, "gray": 0x808080, "grey": 0x808080, "silver": 0xC0C0C0, "lime": 0x00FF00,
    "navy": 0x000080, "aqua": 0x00FFFF, "cyan": 0x00FFFF, "fuchsia": 0xFF00FF,
    "magenta": 0xFF00FF, "maroon": 0x800000, "olive": 0x808000, "purple": 0x800080,
    "teal": 0x008080, "orange": 0xFFA500, "ivory": 0xFFFFF0, "snow": 0xFFFAFA,
    "whitesmoke": 0xF5F5F5, "ghostwhite": 0xF8F8FF, "lightgray": 0xD3D3D3,
    "lightgrey": 0xD3D3D3, "gainsboro": 0xDCDCDC, "beige": 0xF5F5DC, "pink": 0xFFC0CB,
    "floralwhite": 0xFFFAF0, "azure": 0xF0FFFF, "mintcream": 0xF5FFFA, "aliceblue": 0xF0F8FF,
    "darkgray": 0xA9A9A9, "dimgray": 0x696969, "gold": 0xFFD700, "brown": 0xA52A2A,
    "linen": 0xFAF0E6, "seashell": 0xFFF5EE, "honeydew": 0xF0FFF0, "lavender": 0xE6E6FA,
    "canvas": 0xFFFFFF, "canvastext": 0,
}  # fmt: skip
WHITE: Colour = (255.0, 255.0, 255.0, 1.0)

_HEX = re.compile(r"#([0-9a-f]{8}|[0-9a-f]{6}|[0-9a-f]{3,4})(?![0-9a-f])")
_FUNCTION = re.compile(r"(rgb|hsl)a?\(([^()]{1,80})\)")
_WORD = re.compile(r"[a-z]+")
_NUMBER = re.compile(r"(-?\d{0,6}\.?\d{1,6})(%|deg)?")


def find_colour(value: str) -> Colour | None:
    """Return the first colour in a CSS value in lower case; None when there is no known one."""
    if match := _HEX.search(value):
        return _from_hex(match[1])
    if match := _FUNCTION.search(value):
        return _from_function(match[1], match[2])
    for word in _WORD.findall(value):
        if word == "transparent":
            return (0.0, 0.0, 0.0, 0.0)
        if word in _NAMED:
            return _from_hex(f"{_NAMED[word]:06x}")
    return None


def near(one: Colour, other: Colour) -> bool:
    """Tell whether text of one colour cannot be read on a background of the other."""
    alpha = one[3]
    shown = [alpha * a + (1 - alpha) * b for a, b in zip(one[:3], other[:3], strict=True)]
    return sum(abs(a - b) for a, b in zip(shown, other[:3], strict=True)) <= 30


def _from_hex(digits: str) -> Colour:
    if len(digits) < 6:
        digits = "".join(2 * d for d in digits)
    red, green, blue = (float(int(digits[i : i + 2], 16)) for i in (0, 2, 4))
    return red, green, blue, int(digits[6:], 16) / 255 if len(digits) == 8 else 1.0


def _from_function(name: str, arguments: str) -> Colour | None:
    numbers = _NUMBER.findall(arguments)
    if len(numbers) < 3:
        return None
    alpha = 1.0
    if len(numbers) > 3:
        alpha = float(numbers[3][0]) / (100 if numbers[3][1] else 1)
    if name == "hsl":
        hue, saturation, light = (float(n) for n, _ in numbers[:3])
        rgb = colorsys.hls_to_rgb(hue / 360, light / 100, saturation / 100)
        return rgb[0] * 255, rgb[1] * 255, rgb[2] * 255, alpha
    red, green, blue = (float(n) * (2.55 if unit else 1) for n, unit in numbers[:3])
    return red, green, blue, alpha
