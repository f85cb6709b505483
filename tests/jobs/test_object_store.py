"""Bulk indexing from an object store that others wrote: Moto's S3, read by s3fs.

They live in the environment that `make test-s3` builds, which then runs this file.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from kensaku import Kensaku, Settings
from tests import ROOT
from tests.jobs.test_bulk import write_documents

PYTHON = ROOT / ".venv-s3" / "bin" / "python"
BUILD = "import sys; from kensaku.cli import main; sys.exit(main())"
FILES, DOCUMENTS = 4, 150  # documents of a file

pytestmark = pytest.mark.skipif(
    not PYTHON.exists(), reason="s3fs and Moto are not installed: make test-s3"
)


@pytest.fixture
def environ(tmp_path: Path, machine: Path) -> dict[str, str]:
    keys = {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test"}
    paths = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "PYTHONPATH": str(ROOT / "src")}
    return {**keys, **paths, "AWS_DEFAULT_REGION": "us-east-1", "KENSAKU_HOME": str(machine)}


@pytest.fixture
def endpoint(processes: None, tmp_path: Path, environ: dict[str, str]) -> Iterator[str]:
    """The address of a store with 600 documents in four files."""
    folder = tmp_path / "files"
    folder.mkdir()
    for n in range(FILES):
        write_documents(folder / f"{n}.jsonl", DOCUMENTS, first=1 + n * DOCUMENTS)
    script = Path(__file__).with_name("s3_server.py")
    with subprocess.Popen(
        [PYTHON, script, folder],
        env=environ,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
        process.kill()


def build_index(environ: dict[str, str], endpoint: str) -> dict[str, object]:
    """The result of `kensaku index build` with two workers."""
    done = subprocess.run(
        [PYTHON, "-c", BUILD, "index", "build", "s3://otters/docs", "--workers", "2",
         "--collection", "bulk", "--json"],
        env={**environ, "AWS_ENDPOINT_URL": endpoint},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3_000:]
    found: dict[str, object] = json.loads(done.stdout)["result"]
    return found


async def test_every_document_of_a_bucket_is_indexed_once(
    environ: dict[str, str], endpoint: str, machine: Path
) -> None:
    """The second run finds all of them as they are."""
    first = build_index(environ, endpoint)
    second = build_index(environ, endpoint)

    all_of_them = FILES * DOCUMENTS
    counts = ("documents", "added", "updated", "unchanged")
    assert [first[n] for n in counts] == [all_of_them, all_of_them, 0, 0]
    assert [second[n] for n in counts] == [all_of_them, 0, 0, all_of_them]
    async with Kensaku(Settings.load(environ={}, home=machine)) as k:
        assert (await k.index.check("bulk"))["bulk"]["documents"] == all_of_them
