"""Web Bot Auth: what we sign, others verify, and only for the host that it was made for."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from http_message_signatures import (
    HTTPMessageVerifier,
    InvalidSignature,
    MappingKeyResolver,
    algorithms,
)
from yarl import URL

from kensaku.config.settings import Settings
from kensaku.errors import ConfigError
from kensaku.fetch import Fetcher
from kensaku.fetch.signature import Signer, authority_of, make_key, read_key, sign
from kensaku.store import MemoryStore

# RFC 9421, appendix B.1.4: the test key as a JWK.
RFC_KEY = {"kty": "OKP", "crv": "Ed25519", "kid": "test-key-ed25519",
           "d": "n4Ni-HpISpVObnQMW0wOhCKROaIKqKtW_2ZYb2p9KcU",
           "x": "JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs"}  # fmt: skip
THUMBPRINT = "poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U"  # of it, as the drafts print it
AGENT = "https://search.example.com"
NEEDED = ("@authority", '"signature-agent";key="sig1"')


@dataclass
class Message:
    """A request as the verifying library reads it."""

    url: str
    headers: Mapping[str, str]
    method: str = "GET"


@pytest.fixture
def key(tmp_path):
    path = tmp_path / "key.jwk"
    path.write_text(json.dumps(RFC_KEY))
    return read_key(path)


@dataclass
class DirectoryReply:
    """A response as the verifying library reads it."""

    headers: Mapping[str, str]
    request: Message
    status_code: int = 200


def verify(message, key, tag="web-bot-auth", components=NEEDED, key_id=THUMBPRINT):
    """Verify with a key, or its public half; return what holds. Raises `InvalidSignature`."""
    public = key.public_key() if isinstance(key, Ed25519PrivateKey) else key
    verifier = HTTPMessageVerifier(
        signature_algorithm=algorithms.ED25519,
        key_resolver=MappingKeyResolver(public_keys={key_id: public}, private_keys={}),
    )
    return verifier.verify(message, expect_tag=tag, require_components=components)


def test_the_rfcs_own_example_is_signed_as_it_prints_it(key):
    """RFC 9421, appendix B.2.6: Ed25519 has one signature for one text."""
    covered = [
        ('"date"', "Tue, 20 Apr 2021 02:07:55 GMT"), ('"@method"', "POST"), ('"@path"', "/foo"),
        ('"@authority"', "example.com"), ('"content-type"', "application/json"),
        ('"content-length"', "18"),
    ]  # fmt: skip

    signed = sign(key, "sig-b26", covered, ';created=1618884473;keyid="test-key-ed25519"')

    assert signed["Signature"] == (
        "sig-b26=:wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6vuQv5lIp5WP"
        "pBKRCw==:"
    )


def test_the_key_is_named_by_its_thumbprint(key):
    """RFC 8037, appendix A.3; sites find the key in the directory by it."""
    (public,) = Signer(key, AGENT).directory()["keys"]

    assert public["kid"] == THUMBPRINT
    assert public["x"] == RFC_KEY["x"]
    assert "d" not in public


@pytest.mark.parametrize(
    ("url", "authority"),
    [
        ("https://EXAMPLE.com/a?b=c", "example.com"),
        ("http://example.com:80/", "example.com"),
        ("https://example.com:8443/", "example.com:8443"),
        ("http://[2606:2800::1]:8080/", "[2606:2800::1]:8080"),
        ("https://bücher.example/", "xn--bcher-kva.example"),
    ],
)
def test_a_signature_holds_for_its_host_alone(key, url, authority):
    """A library that nobody here wrote verifies it; under another name it does not hold."""
    headers = Signer(key, AGENT).headers(URL(url))

    (found,) = verify(Message(str(URL(url)), headers), key)
    assert (authority_of(URL(url)), found.parameters["keyid"]) == (authority, THUMBPRINT)
    assert found.parameters["expires"] - found.parameters["created"] == 60
    with pytest.raises(InvalidSignature):
        verify(Message("https://other.example/", headers), key)
    with pytest.raises(InvalidSignature):
        verify(Message(url, {**headers, "Signature-Agent": 'sig1="https://evil.example"'}), key)


async def test_every_hop_is_signed_anew(web, key):
    """robots.txt and the page, before and after a redirect: each for the host that is asked."""
    web.names["other.test"] = ["93.184.215.15"]
    web.pages["public.test/page"] = (302, {"Location": "http://other.test:8080/there"}, b"")
    web.pages["/there"] = "<p>here</p>"
    fetcher = Fetcher(web.transport(signer=Signer(key, AGENT)), store=MemoryStore())

    await fetcher.fetch("http://public.test/page")

    assert {r.host for r in web.seen} == {"public.test", "other.test:8080"}
    assert len(web.seen) == 4
    for request in web.seen:
        verify(Message(f"http://{request.host}{request.target}", request.headers), key)
    assert len({r.headers["signature"] for r in web.seen}) == 4


def test_the_directory_is_signed_for_its_own_address(key):
    """Whoever mirrors it cannot serve it as theirs."""
    headers, tag = Signer(key, AGENT).directory_headers(), "http-message-signatures-directory"
    own, mirror = (Message(f"https://{host}/", {}) for host in ("search.example.com", "evil.test"))

    assert verify(DirectoryReply(headers, own), key, tag, ('"@authority";req',))
    with pytest.raises(InvalidSignature):
        verify(DirectoryReply(headers, mirror), key, tag, ('"@authority";req',))


def test_a_key_is_made_for_its_owner_alone_and_never_replaced(tmp_path):
    """And what cannot be used is refused, without its text."""
    path = tmp_path / "new" / "key.pem"
    make_key(path)
    before = path.read_bytes()
    assert path.stat().st_mode & 0o777 == 0o600
    assert isinstance(read_key(path), Ed25519PrivateKey)

    with pytest.raises(ConfigError, match="not replaced"):
        make_key(path)
    assert path.read_bytes() == before

    for wrong in (b"", b"5ecret", b'{"kty": "OKP", "crv": "Ed25519", "d": "5ecret"}', b"{", b"[]",
                  b"5ecret" * 10_000):  # fmt: skip
        path.write_bytes(wrong)
        with pytest.raises(ConfigError) as refused:
            read_key(path)
        assert "5ecret" not in str(refused.value)


def test_a_key_needs_the_address_of_its_directory(tmp_path):
    """Without it nobody could verify a signature; the server's own address will do."""
    path = tmp_path / "key.pem"
    make_key(path)
    with pytest.raises(ConfigError, match="signature_agent"):
        Signer.from_settings(Settings(fetch_signature_key=str(path)))

    signer = Signer.from_settings(Settings(fetch_signature_key=str(path), public_url=AGENT))
    assert signer.agent == AGENT
    assert Signer.from_settings(Settings()) is None
