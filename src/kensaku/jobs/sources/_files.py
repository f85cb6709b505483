"""Open and list files by path or URL: this machine's, or an object store's (fsspec)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO, Any, NamedTuple
from urllib.parse import urlsplit

from kensaku.errors import InvalidQuery, MissingExtra
from kensaku.messages import msg

MAX_FILES = 1_000_000
# What gives its files to whoever asks for them by name, and reaches nothing else.
PROTOCOLS = frozenset({"file", "local", "memory", "s3", "s3a", "gs", "gcs", "az", "abfs", "adl"})
_COMPRESSED = {".gz": "gzip", ".bz2": "bz2", ".xz": "xz", ".zst": "zstd"}


class File(NamedTuple):
    """A file and its size in bytes."""

    url: str
    size: int


def check_source(source: str) -> None:
    """Raise `InvalidQuery` for a source that cannot be read, or that holds a password."""
    protocol = source.partition("://")[0] if "://" in source else "file"
    if protocol in ("http", "https"):
        return
    if protocol not in PROTOCOLS:
        known = ", ".join(sorted(PROTOCOLS | {"https"}))
        raise InvalidQuery(
            msg("{protocol!r} is not a kind of source", protocol=protocol[:40]),
            remedy=msg("use {known}", known=known),
        )
    if "@" in urlsplit(source).netloc:
        raise InvalidQuery(
            msg("a source must not hold a user or a password: jobs are stored"),
            remedy=msg("put them into the environment, as the object store's own tools do"),
        )


def list_files(source: str) -> Iterator[File]:
    """Yield the files of a path, a folder, a pattern or a prefix; hidden ones are left out."""
    fs, path = _filesystem(source)
    if fs.isfile(path):
        yield File(fs.unstrip_protocol(path), int(fs.size(path) or 0))
        return
    found = fs.glob(path, detail=True) if any(c in path for c in "*?[") else {}
    if not found:
        found = fs.find(path, detail=True)
    if not found:
        raise InvalidQuery(msg("there is nothing at {source}", source=source[:200]))
    if len(found) > MAX_FILES:
        raise InvalidQuery(
            msg(
                "there are {count:,} files; at most {max_files:,} are read",
                count=len(found),
                max_files=MAX_FILES,
            )
        )
    base = path.rstrip("/")
    for name, info in sorted(found.items()):
        inner = name.removeprefix(base)
        hidden = any(part.startswith(".") for part in inner.split("/"))
        if info.get("type") == "file" and not hidden and not info.get("islink"):
            yield File(fs.unstrip_protocol(name), int(info.get("size") or 0))


def open_file(url: str) -> IO[bytes]:
    """Open a file as it is, with a position that can be changed."""
    fs, path = _filesystem(url)
    opened: IO[bytes] = fs.open(path, "rb")
    return opened


def decompress(file: IO[bytes], url: str) -> IO[bytes]:
    """Return the file without its compression, if its name says that it has one."""
    suffix = "." + url.rpartition(".")[2].lower()
    if suffix not in _COMPRESSED:
        return file
    _fsspec()
    from fsspec.compression import compr

    name = _COMPRESSED[suffix]
    if name not in compr:
        raise MissingExtra(msg("a reader of {suffix} files", suffix=suffix), "codecs")
    opened: IO[bytes] = compr[name](file, mode="r")
    return opened


def is_compressed(url: str) -> bool:
    """Whether a file has to be read from its beginning."""
    return url.lower().endswith(tuple(_COMPRESSED))


def _filesystem(url: str) -> tuple[Any, str]:
    check_source(url)
    fsspec = _fsspec()
    try:
        fs, path = fsspec.core.url_to_fs(url)
    except ImportError as error:  # fsspec says which package an object store needs
        raise MissingExtra(
            msg("what reads {scheme}://", scheme=url.partition("://")[0]), "bulk"
        ) from error
    return fs, path


def _fsspec() -> Any:
    try:
        import fsspec
    except ImportError as error:
        raise MissingExtra("fsspec", "bulk") from error
    return fsspec
