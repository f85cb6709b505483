"""PDFs that are made to break whoever reads them: each a few bytes that ask for very much."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from functools import partial

MIB = 2**20
ZEROS = bytes(MIB)


def inflates_to(mebibytes: int, piece: bytes = ZEROS, begins: bytes = b"") -> bytes:
    """A zlib stream of `piece` over and over: a kilobyte for each mebibyte.

    It is packed once and repeated, so the checksum at its end is wrong: by then it is too late.
    """
    packer = zlib.compressobj(9)
    first = packer.compress(begins) + packer.flush(zlib.Z_FULL_FLUSH)
    again = packer.compress(piece) + packer.flush(zlib.Z_FULL_FLUSH)
    return first + again * mebibytes + packer.flush()


CATALOG = "<< /Type /Catalog /Pages 2 0 R >>"
FONT = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"


def stream(data: bytes, entries: str = "") -> bytes:
    """A stream object."""
    head = f"<< /Length {len(data)} {entries} >>\nstream\n"
    return head.encode("latin-1") + data + b"\nendstream"


def pdf(*objects: str | bytes, trailer: str = "") -> bytes:
    """These objects, numbered from 1, with a table of where they are. The first is the root."""
    parts, at, offsets = [b"%PDF-1.7\n"], 9, []
    for number, content in enumerate(objects, start=1):
        body = content if isinstance(content, bytes) else content.encode("latin-1")
        parts.append(b"%d 0 obj\n%s\nendobj\n" % (number, body))
        offsets.append(at)
        at += len(parts[-1])
    size = len(objects) + 1
    table = f"xref\n0 {size}\n0000000000 65535 f \n"
    table += "".join(f"{offset:010} 00000 n \n" for offset in offsets)
    end = f"trailer\n<< /Size {size} /Root 1 0 R {trailer} >>\nstartxref\n{at}\n%%EOF\n"
    return b"".join(parts) + (table + end).encode("latin-1")


def one_page(content: bytes | str, *more: str | bytes, box: str = "0 0 612 792") -> bytes:
    """A page that shows object 4; `more` are the objects 5 and on, /F1 is a font or object 5."""
    fonts = "/Font << /F1 5 0 R >> /XObject << /X 5 0 R >>" if more else f"/Font << /F1 {FONT} >>"
    return pdf(
        CATALOG,
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        f"<< /Type /Page /Parent 2 0 R /MediaBox [{box}] /Contents 4 0 R"
        f" /Resources << {fonts} >> >>",
        content,
        *more,
    )


WRITE = stream(b"BT /F1 12 Tf 72 700 Td (Otters swim) Tj ET")
LEAF = "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] >>"


def _many_pages(count: int) -> bytes:
    kids = "3 0 R " * count
    return pdf(CATALOG, f"<< /Type /Pages /Kids [{kids}] /Count {count} >>", LEAF)


def _deep_page_tree(depth: int = 50_000) -> bytes:
    nodes = [f"<< /Type /Pages /Kids [{n + 3} 0 R] /Count 1 >>" for n in range(depth)]
    return pdf(CATALOG, *nodes, LEAF)


def _object_stream() -> bytes:
    inside = b"2 0 " + b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>"
    data = inflates_to(900, begins=inside)
    # The xref stream says that object 2 is in the object stream, object 4.
    first = b"%PDF-1.7\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n"
    third = b"3 0 obj\n" + LEAF.encode() + b"\nendobj\n"
    packed = b"4 0 obj\n" + stream(data, "/Type /ObjStm /N 1 /First 4 /Filter /FlateDecode")
    packed += b"\nendobj\n"
    where = len(first) + len(third) + len(packed)
    rows = [(0, 0, 0), (1, 9, 0), (2, 4, 0), (1, len(first), 0), (1, len(first) + len(third), 0)]
    rows.append((1, where, 0))
    table = b"".join(bytes([kind]) + at.to_bytes(4, "big") + bytes([g]) for kind, at, g in rows)
    last = b"5 0 obj\n" + stream(table, "/Type /XRef /Size 6 /W [1 4 1] /Root 1 0 R")
    return first + third + packed + last + b"\nendobj\nstartxref\n%d\n%%%%EOF\n" % where


def _form(draws: bytes, target: int | None, extra: str = "") -> bytes:
    named = f"/XObject << /X {target} 0 R >>" if target else ""
    entries = f"/Type /XObject /Subtype /Form /BBox [0 0 612 792] /Resources << {named} {extra} >>"
    return stream(draws, entries)


def _forms_that_double(levels: int = 40) -> bytes:
    forms = [_form(b"/X Do /X Do", 6 + n) for n in range(levels)]
    return one_page(stream(b"/X Do"), *forms, _form(b"BT /F1 9 Tf (x) Tj ET", None))


def _glyph_that_draws_itself() -> bytes:
    font = (
        "<< /Type /Font /Subtype /Type3 /FontBBox [0 0 9 9] /FontMatrix [1 0 0 1 0 0] /FirstChar 97"
        " /LastChar 97 /Widths [9] /Encoding << /Differences [97 /a] >> /CharProcs << /a 6 0 R >>"
        " /Resources << /Font << /F1 5 0 R >> >> >>"
    )
    draw = stream(b"BT /F1 12 Tf (aaaaaaaa) Tj ET")
    return one_page(draw, font, draw)


def _map_of_characters() -> bytes:
    ranges = b"".join(b"<0000> <ffff> <%04x>\n" % (n % 65536) for n in range(50_000))
    cmap = b"/CIDInit /ProcSet findresource begin 12 dict begin begincmap\n100 beginbfrange\n"
    cmap += ranges + b"endbfrange endcmap end end"
    font = (
        "<< /Type /Font /Subtype /Type0 /BaseFont /A /Encoding /Identity-H /ToUnicode 6 0 R"
        " /DescendantFonts [<< /Type /Font /Subtype /CIDFontType2 /BaseFont /A /CIDSystemInfo"
        " << /Registry (A) /Ordering (I) /Supplement 0 >> /FontDescriptor << /Type /FontDescriptor"
        " /FontName /A /Flags 4 /FontBBox [0 0 9 9] >> >>] >>"
    )
    return one_page(stream(b"BT /F1 12 Tf <00410042> Tj ET"), font, stream(cmap))


def _picture(filters: str, data: bytes, side: int = 2_000_000_000) -> bytes:
    entries = f"/Type /XObject /Subtype /Image /Width {side} /Height {side} /ColorSpace /DeviceGray"
    picture = stream(data, f"{entries} /BitsPerComponent 8 /Filter {filters}")
    return one_page(stream(b"q 600 0 0 700 0 0 cm /X Do Q"), picture)


def _encrypted() -> bytes:
    secret = "/Encrypt << /Filter /Standard /V 1 /R 2 /P -4 "
    secret += f"/O <{'ab' * 32}> /U <{'cd' * 32}> >> /ID [<{'00' * 16}> <{'00' * 16}>]"
    return pdf(CATALOG, "<< /Type /Pages /Kids [3 0 R] /Count 1 >>", LEAF, trailer=secret)


def _xref_loop() -> bytes:
    whole = pdf(CATALOG, "<< /Type /Pages /Kids [3 0 R] /Count 1 >>", LEAF, trailer="/Prev 99999")
    return whole.replace(b"99999", b"%05d" % whole.rindex(b"xref\n0"))


PDF: dict[str, Callable[[], bytes]] = {
    "a page tree that holds itself": lambda: pdf(
        CATALOG, "<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 2 >>"
    ),
    "a page tree 50,000 deep": _deep_page_tree,
    "an object stream of 900 MB": _object_stream,
    "a page of 900 MB": lambda: one_page(stream(inflates_to(900), "/Filter /FlateDecode")),
    "a page packed twice": lambda: one_page(
        stream(zlib.compress(inflates_to(2000), 9), "/Filter [/FlateDecode /FlateDecode]")
    ),
    "a page of text without end": lambda: one_page(
        stream(
            inflates_to(60, (b"BT /F1 12 Tf 9 9 Td (Otters swim) Tj ET\n" * 30_000)[:MIB]),
            "/Filter /FlateDecode",
        )
    ),
    "100,000 pages": partial(_many_pages, 100_000),
    "2,000,000 pages that are one": partial(_many_pages, 2_000_000),
    "a billion pages by its own word": lambda: pdf(
        CATALOG, "<< /Type /Pages /Kids [3 0 R] /Count 1000000000 >>", LEAF
    ),
    "a page larger than the world": lambda: one_page(
        WRITE, box="-1e38 -1e38 99999999999999999999 99999999999999999999"
    ),
    "arrays 1,000,000 deep": lambda: one_page(stream(b"[" * 1_000_000 + b" TJ")),
    "an object 1,000,000 deep": lambda: pdf("[" * 1_000_000),
    "dictionaries 200,000 deep": lambda: pdf("<< /Pages " * 200_000),
    "encrypted": _encrypted,
    "cut off": lambda: one_page(stream(b"BT (Otters) Tj ET" * 9_000))[:60_000],
    "a table that continues in itself": _xref_loop,
    "a form that draws itself": lambda: one_page(stream(b"/X Do"), _form(b"/X Do /X Do", 5)),
    "forms that double 40 times": _forms_that_double,
    "a glyph that draws itself": _glyph_that_draws_itself,
    "a map of characters over and over": _map_of_characters,
    "a JBIG2 picture of 4 exapixels": lambda: _picture("/JBIG2Decode", b"\x00" * 64),
    "a fax of 4 exapixels": lambda: _picture("/CCITTFaxDecode", b"\x00" * 64),
    "a picture of 900 MB": lambda: _picture("/FlateDecode", inflates_to(900), 30_000),
    "a page that is its own contents": lambda: pdf(
        CATALOG,
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        "<< /Type /Page /Parent 3 0 R /MediaBox 3 0 R /Contents 3 0 R /Resources 3 0 R >>",
    ),
    "a page of 100,000 contents": lambda: pdf(
        CATALOG,
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents [{'4 0 R ' * 100_000}] >>",
        stream(b"q Q " * 5_000),
    ),
}
