"""Addresses and paths from the command line: what is taken, and what is said of the rest."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from kensaku.cli._addresses import (
    check_url,
    document_url,
    input_path,
    is_url,
    output_path,
    path_from_url,
    url_fault,
)
from kensaku.errors import UsageError


@pytest.mark.parametrize(
    ("url", "fault"),
    [
        ("https://a.example", ""),
        ("HTTPS://a.example:8080/", ""),  # its host is not looked up
        ("https://[::1]/", ""),
        ("a.example:8080/x", "it has no scheme"),
        ("", "it has no scheme"),
        ("ftp://a.example/", "ftp: is not a scheme that can be fetched"),
        (f"{'x' * 25}:y", f"{'x' * 20}: is not a scheme"),
        ("https:///x", "it names no host"),
        ("https:", "it names no host"),
        ("https://[::1/", "it names no host"),
        ("y" * 300, "it has no scheme"),
    ],
)
def test_a_web_address_has_a_scheme_and_a_host(url: str, fault: str) -> None:
    """What is wrong is said in one sentence, which repeats two hundred characters of it."""
    assert url_fault(url).partition(";")[0].removesuffix("; use").startswith(fault)
    assert bool(url_fault(url)) is bool(fault)
    if fault:
        with pytest.raises(UsageError, match=f"^{re.escape(repr(url[:200]))} is no web address: "):
            check_url(url)


def test_what_has_no_slashes_is_a_path() -> None:
    """One with slashes and another scheme is refused."""
    assert not is_url("notes/https.md")
    assert not is_url("pydoc:json")
    with pytest.raises(UsageError):
        is_url("s3://bucket/x")


def test_a_file_or_folder_is_read_by_its_whole_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Links are followed, and ~ is the home."""
    (tmp_path / "a.txt").touch()
    (tmp_path / "b").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "b")
    monkeypatch.chdir(tmp_path / "b")

    assert input_path("../a.txt") == (tmp_path / "a.txt").resolve()
    assert input_path("~/link") == (tmp_path / "b").resolve()


def test_what_cannot_be_read_is_said(tmp_path: Path) -> None:
    """With the reason; two hundred characters of its name are enough."""
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    for word, why in (
        ("no/such", "No such file or directory"),
        ("~nobody-at-all/x", "it leads nowhere"),
        ("a\0b", "it leads nowhere"),
        ("x" * 300, "File name too long"),
        (str(tmp_path / "loop"), ""),
    ):
        with pytest.raises(UsageError) as refused:
            input_path(word)
        assert refused.value.message.startswith(f"cannot read {word[:200]}: {why}")


def test_a_file_is_written_where_there_is_a_folder(tmp_path: Path) -> None:
    """It may exist already."""
    (tmp_path / "a.txt").touch()
    assert output_path("~/b.txt") == tmp_path / "b.txt"
    assert output_path(str(tmp_path / "a.txt")) == tmp_path / "a.txt"
    for word, why in ((str(tmp_path), "it is a folder"), ("x/" * 150, "is no folder")):
        with pytest.raises(UsageError, match=f"^cannot write {word[:200]}: .*{why}$"):
            output_path(word)


@pytest.mark.parametrize(
    ("word", "url"),
    [
        ("https://a.example/", "https://a.example/"),
        ("s3://bucket/x", "s3://bucket/x"),
        ("pydoc:json", "pydoc:json"),
        ("file:/x", "file:/x"),
        ("/a b/ü.md", "file:///a%20b/%C3%BC.md"),
    ],
)
def test_a_document_is_named_by_its_address_or_its_path(word: str, url: str) -> None:
    """A path becomes the address under which it was added."""
    assert document_url(word) == url


def test_a_relative_path_is_that_of_this_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Or of one's home."""
    monkeypatch.chdir(tmp_path)
    here = tmp_path.resolve()

    assert document_url("a.md") == (here / "a.md").as_uri()
    assert document_url("~/a.md") == (here / "a.md").as_uri()


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("file:///a%20b/%C3%BC.md", Path("/a b/ü.md")),
        ("file:///%FF", Path(os.fsdecode(b"/\xff"))),
        ("https://a.example/", None),
        ("file://host/x", None),
    ],
)
def test_the_path_of_an_address(url: str, path: Path | None) -> None:
    """Of a file on this machine alone."""
    assert path_from_url(url) == path
