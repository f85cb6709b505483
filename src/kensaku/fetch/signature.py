"""Sign requests to pages: Web Bot Auth, HTTP message signatures (RFC 9421) by an Ed25519 key.

    URL → Signer.headers → Signature-Agent, Signature-Input, Signature
    Signer.directory, Signer.directory_headers → what a server of the operator publishes

A site that knows the operator's directory can tell whose robot asks. Each signature is for one
host and a minute. Drafts: draft-meunier-webbotauth-httpsig-protocol-00 and -directory-00, in
which `Signature-Agent` is a dictionary.
"""

from __future__ import annotations

import json
import os
import time
from base64 import b64encode, urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from kensaku.errors import ConfigError, MissingExtra, system_reason
from kensaku.messages import msg

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from yarl import URL

    from kensaku.config.settings import Settings

DIRECTORY_PATH = "/.well-known/http-message-signatures-directory"
DIRECTORY_TYPE = "application/http-message-signatures-directory+json"
LABEL = "sig1"
SECONDS = 60  # that the signature of a request holds
DIRECTORY_SECONDS = 300
MAX_KEY_BYTES = 16 * 1024
NONCE_BYTES = 64
_PORTS = {"http": 80, "https": 443}


class Signer:
    """Signs in the name of the operator, whose directory is at `agent`."""

    def __init__(self, key: Ed25519PrivateKey, agent: str) -> None:
        self._key, self.agent = key, agent
        x = _base64url(key.public_key().public_bytes_raw())
        # RFC 8037, appendix A.3: these members in this order, without blanks.
        thumbprint = sha256(f'{{"crv":"Ed25519","kty":"OKP","x":"{x}"}}'.encode()).digest()
        self.key_id = _base64url(thumbprint)
        self._public = {"kty": "OKP", "crv": "Ed25519", "kid": self.key_id, "x": x, "use": "sig"}

    @classmethod
    def from_settings(cls, settings: Settings) -> Signer | None:
        """Make the signer that the settings name; None when they name no key."""
        if not settings.fetch_signature_key:
            return None
        agent = settings.fetch_signature_agent or settings.public_url
        if not agent:
            raise ConfigError(
                msg("fetch.signature_key is set, and fetch.signature_agent is not"),
                remedy=msg("set it to the address where kensaku serve is reached, with https://"),
            )
        return cls(read_key(Path(settings.fetch_signature_key).expanduser()), agent)

    def headers(self, url: URL) -> dict[str, str]:
        """Return the headers of a request to `url`. No other host can use them."""
        agent = f'"{self.agent}"'
        covered = [('"@authority"', authority_of(url)), (f'"signature-agent";key="{LABEL}"', agent)]
        signed = self._signed(covered, "web-bot-auth", SECONDS)
        return {"Signature-Agent": f"{LABEL}={agent}", **signed}

    def directory(self) -> dict[str, Any]:
        """Return the directory: the public key alone."""
        return {"keys": [dict(self._public)]}

    def directory_headers(self) -> dict[str, str]:
        """Return the headers that bind the directory to its own address, whoever asks for it."""
        host = urlsplit(self.agent).netloc.lower()
        covered = [('"@authority";req', host)]
        return self._signed(covered, "http-message-signatures-directory", DIRECTORY_SECONDS)

    def _signed(self, covered: Sequence[tuple[str, str]], tag: str, seconds: int) -> dict[str, str]:
        created = int(time.time())
        nonce = b64encode(os.urandom(NONCE_BYTES)).decode()
        parameters = (
            f';created={created};expires={created + seconds};keyid="{self.key_id}"'
            f';alg="ed25519";nonce="{nonce}";tag="{tag}"'
        )
        return sign(self._key, LABEL, covered, parameters)


def sign(
    key: Ed25519PrivateKey, label: str, covered: Sequence[tuple[str, str]], parameters: str
) -> dict[str, str]:
    """Return `Signature-Input` and `Signature` of components, as RFC 9421, section 3.1, says."""
    names = f"({' '.join(name for name, _ in covered)}){parameters}"
    lines = [*(f"{name}: {value}" for name, value in covered), f'"@signature-params": {names}']
    signature = b64encode(key.sign("\n".join(lines).encode("ascii"))).decode()
    return {"Signature-Input": f"{label}={names}", "Signature": f"{label}=:{signature}:"}


def authority_of(url: URL) -> str:
    """Return host and port as RFC 9421 signs them: in lower case, without the usual port."""
    host = (url.raw_host or "").lower()
    host = f"[{host}]" if ":" in host else host
    return host if url.port in (None, _PORTS.get(url.scheme)) else f"{host}:{url.port}"


def read_key(path: Path) -> Ed25519PrivateKey:
    """Read an Ed25519 key from PEM (PKCS #8) or a JWK. Raises `ConfigError`, never with the key."""
    try:
        data = path.read_bytes() if path.stat().st_size <= MAX_KEY_BYTES else b""
    except OSError as error:
        raise ConfigError(
            msg("fetch.signature_key: {path} cannot be read: {reason}",
                path=path.name, reason=system_reason(error)),
            remedy=msg("make one with: kensaku config signature-key"),
        ) from None  # fmt: skip
    keys, serialization = _cryptography()
    key: Ed25519PrivateKey | None
    try:
        if data.lstrip().startswith(b"{"):
            return _from_jwk(json.loads(data), keys)
        key = serialization.load_pem_private_key(data, None)
    except Exception:  # whatever it says may hold the key
        key = None
    if key is None or not isinstance(key, keys.Ed25519PrivateKey):
        raise ConfigError(
            msg(
                "fetch.signature_key: {path} holds no Ed25519 key without a password",
                path=path.name,
            ),
            remedy=msg("make one with: kensaku config signature-key"),
        )
    return key


def make_key(path: Path) -> None:
    """Make a key and write it as PEM, readable by its owner alone. Never replace a file."""
    keys, serialization = _cryptography()
    pem = keys.Ed25519PrivateKey.generate().private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise ConfigError(
            msg("{path} exists, and a key is not replaced", path=path),
            remedy=msg("choose another path, or remove it first"),
        ) from None
    except OSError as error:
        raise ConfigError(
            msg("{path} cannot be written: {reason}", path=path, reason=system_reason(error))
        ) from None
    with os.fdopen(handle, "wb") as file:
        file.write(pem)


def _from_jwk(jwk: Mapping[str, Any], keys: Any) -> Ed25519PrivateKey:
    if (jwk.get("kty"), jwk.get("crv")) != ("OKP", "Ed25519"):
        raise ValueError("not Ed25519")
    d = str(jwk["d"])
    key: Ed25519PrivateKey = keys.Ed25519PrivateKey.from_private_bytes(
        urlsafe_b64decode(d + "=" * (-len(d) % 4))
    )
    return key


def _base64url(data: bytes) -> str:
    return urlsafe_b64encode(data).rstrip(b"=").decode()


def _cryptography() -> tuple[Any, Any]:
    try:
        from cryptography.hazmat.primitives import serialization
        from cryptography.hazmat.primitives.asymmetric import ed25519
    except ImportError:
        raise MissingExtra("cryptography", "signature") from None
    return ed25519, serialization
