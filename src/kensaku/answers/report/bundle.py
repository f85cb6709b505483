"""A run as one file: what was asked, what every search returned, and the pages that were read.

    write_bundle(state, "otters.zip") → manifest with SHA-256 of each file, queries, results, pages
    read_bundle("otters.zip")         → the state, each file checked against the manifest

`replay_run` writes its report again without a network, `compare_runs` compares two.
"""

from __future__ import annotations

import hashlib
import json
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from kensaku.answers.report.report import report_of
from kensaku.answers.report.state import State
from kensaku.errors import InvalidQuery, system_reason
from kensaku.foreign_json import decode_json
from kensaku.messages import msg

VERSION = 1
MANIFEST, RUN, REPORT = "manifest.json", "run.json", "report.md"
MAX_FILES = 10_000
MAX_BYTES = 200 * 2**20  # of all files, decompressed
_UNREADABLE = (
    zipfile.BadZipFile, zlib.error, EOFError, LookupError, ValueError, TypeError, AttributeError,
    RuntimeError,
)  # fmt: skip
_EPOCH = (1980, 1, 1, 0, 0, 0)  # the same run gives the same bytes


def write_bundle(state: State, path: str | Path) -> None:
    """Write a finished run to a zip file; a file that is there is replaced at once, or not at all.

    Raises `InvalidQuery` when the file cannot be written.
    """
    files = {name: _json(value) for name, value in _parts(state)}
    files[REPORT] = ((state.results.get("write") or {}).get("text") or "").encode()
    manifest = {
        "version": VERSION,
        "input": state.request.input,
        "files": {name: _hash(data) for name, data in sorted(files.items())},
    }
    target = Path(path)
    draft = target.with_name(f".{target.name}.part")
    try:
        with zipfile.ZipFile(draft, "w", zipfile.ZIP_DEFLATED) as bundle:
            for name, data in [(MANIFEST, _json(manifest)), *sorted(files.items())]:
                bundle.writestr(zipfile.ZipInfo(name, _EPOCH), data, zipfile.ZIP_DEFLATED)
        draft.replace(target)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise InvalidQuery(
            msg("{path} cannot be written: {reason}", path=path, reason=system_reason(error))
        ) from None


def read_bundle(path: str | Path) -> State:
    """Return the state of a finished run. Raises `InvalidQuery` for a file that is no bundle."""
    try:
        with zipfile.ZipFile(path) as bundle:
            state = _state(dict(_checked(bundle, path)))
        report_of(state)  # what it holds can be read
        return state
    except InvalidQuery:
        raise
    except OSError as error:
        raise InvalidQuery(
            msg("{path} cannot be read: {reason}", path=path, reason=system_reason(error))
        ) from None
    except _UNREADABLE as error:
        raise InvalidQuery(
            msg("{path} is no bundle of research ({name})", path=path, name=type(error).__name__)
        ) from None


def page_hashes(state: State) -> dict[str, str]:
    """Return the SHA-256 of every page that was read, by its address."""
    return {url: _hash(_json(page)) for url, page in state.pages().items()}


def _parts(state: State) -> Iterator[tuple[str, Any]]:
    """Yield the files of a run; a page is one file, named by its hash."""
    results: dict[str, Any] = {}
    for name, result in state.results.items():
        if name.startswith("search-"):
            yield f"searches/{name}.json", result
            continue
        if name.startswith("read-"):
            hashes = [_hash(_json(page)) for page in result["pages"]]
            for digest, page in zip(hashes, result["pages"], strict=True):
                yield f"pages/{digest}.json", page
            result = {**result, "pages": hashes}
        results[name] = result
    values = state.to_dict()
    yield RUN, {**values, "results": results, "order": list(state.results)}


def _state(files: Mapping[str, bytes]) -> State:
    values = decode_json(files[RUN])
    results = {}
    for name in values.pop("order"):
        if name.startswith("search-"):
            results[name] = decode_json(files[f"searches/{name}.json"])
            continue
        result = values["results"][name]
        if name.startswith("read-"):
            pages = [decode_json(files[f"pages/{digest}.json"]) for digest in result["pages"]]
            result = {**result, "pages": pages}
        results[name] = result
    return State.from_dict({**values, "results": results})


def _checked(bundle: zipfile.ZipFile, path: str | Path) -> Iterator[tuple[str, bytes]]:
    """Yield the files that the manifest names. Names are keys alone: nothing is unpacked."""
    entries = bundle.infolist()
    if len(entries) > MAX_FILES or sum(e.file_size for e in entries) > MAX_BYTES:
        raise InvalidQuery(
            msg(
                "{path} is larger than {max_bytes} MiB, or has too many files",
                path=path,
                max_bytes=MAX_BYTES >> 20,
            )
        )
    manifest = decode_json(_read(bundle, MANIFEST))
    if manifest["version"] != VERSION:
        raise InvalidQuery(
            msg(
                "{path} is of version {manifest!r}, not {version}",
                path=path,
                manifest=manifest["version"],
                version=VERSION,
            )
        )
    for name, digest in manifest["files"].items():
        data = _read(bundle, name)
        if _hash(data) != digest:
            raise InvalidQuery(
                msg(
                    "{path} was changed: {name!r} is not what the manifest says",
                    path=path,
                    name=name[:80],
                )
            )
        yield name, data


def _read(bundle: zipfile.ZipFile, name: str) -> bytes:
    with bundle.open(name) as file:
        return file.read(MAX_BYTES)


def _json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, indent=1).encode()


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
