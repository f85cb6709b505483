"""A picture of a page: what is wanted, its bounds, and how Chromium takes it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Self

from kensaku.errors import InvalidQuery, TooLarge
from kensaku.messages import msg

WIDTHS, HEIGHTS, QUALITIES = (16, 3_840), (16, 4_320), (1, 100)
MAX_PIXELS = 20_000_000  # of a full page; what is below them is cut off
MAX_BASE64 = 10_000_000  # characters of a picture


@dataclass(frozen=True, slots=True)
class Screenshot:
    """The viewport or the full page, as a JPEG if it has a quality, else as a PNG."""

    full_page: bool = False
    quality: int | None = None
    width: int = 1_280
    height: int = 800

    def __post_init__(self) -> None:
        bounds = {"quality": QUALITIES, "width": WIDTHS, "height": HEIGHTS}
        for name, (least, most) in bounds.items():
            value = getattr(self, name)
            if value is not None and not least <= value <= most:
                raise InvalidQuery(
                    msg(
                        "{name} of the screenshot is {value}; it must be {least} to {most:,}",
                        name=name,
                        value=value,
                        least=least,
                        most=most,
                    )
                )

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Return what `to_dict` was made of."""
        return cls(**values)

    def to_dict(self) -> dict[str, Any]:
        """Return the form that a job keeps."""
        return asdict(self)

    async def take(self, context: Any, page: Any) -> str:
        """Return a `data:` URL with the picture of a page. Raises `TooLarge`.

        Through the protocol of the browser, for the page could lie about its own size.
        """
        session = await context.new_cdp_session(page)
        width, height = self.width, self.height
        if self.full_page:
            size = (await session.send("Page.getLayoutMetrics"))["cssContentSize"]
            width = min(max(int(size["width"]), width), WIDTHS[1])
            height = min(max(int(size["height"]), height), MAX_PIXELS // width)
        kind = "png" if self.quality is None else "jpeg"
        options: dict[str, Any] = {"format": kind, "captureBeyondViewport": self.full_page}
        options["clip"] = {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}
        if self.quality is not None:
            options["quality"] = self.quality
        data: str = (await session.send("Page.captureScreenshot", options))["data"]
        if len(data) > MAX_BASE64:
            raise TooLarge(
                msg("the screenshot is over {most:,} characters", most=MAX_BASE64),
                remedy=msg("ask for a quality below 100, or a smaller viewport"),
            )
        return f"data:image/{kind};base64,{data}"
