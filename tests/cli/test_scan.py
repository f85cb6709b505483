"""Which files of a folder are read."""

from __future__ import annotations

from pathlib import Path

from .conftest import Cli


def test_patterns_choose_files(tmp_path: Path, cli: Cli) -> None:
    """By name, or with a slash by the path below the folder; -v names what was passed over."""
    folder = tmp_path / "folder"
    for name in ("a.md", "docs/b.md", "docs/code.py", "docs/OLD.MD", "docs/old/c.md", ".git/d.md"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(f"text of {name}")
    names = cli("index", "add", folder, "--include", "*.md", "--exclude", "docs/old/", "-v")
    paths = cli("index", "add", folder, "--include", "docs/*.md", "--exclude", "old",
                "--collection", "paths")  # fmt: skip

    assert names.out == "default: 2 added, 0 updated, 0 unchanged\n"
    assert paths.out == "paths: 1 added, 0 updated, 0 unchanged\n"
    assert {line for line in names.err.splitlines() if line.startswith("  ")} == {
        f"  hidden: {folder / '.git'}",
        f"  excluded: {folder / 'docs' / 'old'}",
        f"  not included: {folder / 'docs' / 'code.py'}",
        f"  not included: {folder / 'docs' / 'OLD.MD'}",
    }
    assert "passed over: 1 excluded, 1 hidden, 3 not included" in paths.err
    assert not [line for line in paths.err.splitlines() if line.startswith("  ")]


def test_only_a_file_that_is_gone_is_taken_out(notes: Path, cli: Cli) -> None:
    """One that cannot be read now stays; what stood in a folder that became a file is gone."""
    cli("index", "add", notes)
    (notes / "otters.md").chmod(0)
    deep = notes / "deep"
    for path in sorted(deep.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    deep.rmdir()
    deep.write_text("a file of that name")
    told = cli("index", "add", notes, "--json").json

    assert (told["added"], told["removed"]) == (1, 2)
    urls = cli("index", "documents", "--json").json
    assert (notes / "otters.md").as_uri() in urls
