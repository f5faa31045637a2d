"""JSON Web Tokens (RFC 7519), signed by HS256, HS384, HS512 or RS256; the caller says which one it expects.

The algorithm that a token names is never trusted: it must equal the expected one. `none` does not exist.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import time
from collections.abc import Mapping
from typing import Any

from runtime.core.errors import Error, Internal, Invalid
from runtime.core.values import Value
from runtime.lua.modules.crypto.arguments import octets
from runtime.lua.modules.json.decode import decode

MAX_TOKEN = 64 * 1024
_HMACS = {"HS256": hashlib.sha256, "HS384": hashlib.sha384, "HS512": hashlib.sha512}


def encode(payload: object, key: object, algorithm: object = None) -> Value:
    """Return the signed token of the claims in `payload`; its field `_header` adds to the header."""
    name = _algorithm(algorithm)
    if not isinstance(payload, Mapping):
        raise Invalid("payload must be a table of claims", retryable=False)
    extra = payload.get("_header")
    header = {**(extra if isinstance(extra, Mapping) else {}), "alg": name, "typ": "JWT"}
    claims = {name: value for name, value in payload.items() if name != "_header"}
    signed = _segment(header) + b"." + _segment(claims)
    token = signed + b"." + _base64(_sign(name, key, signed))
    if len(token) > MAX_TOKEN:
        raise Invalid(f"token of {len(token)} bytes is over the limit of {MAX_TOKEN}", retryable=False)
    return token.decode("ascii")


def verify(token: object, key: object, algorithm: object = None, require_exp: object = None) -> Value:
    """Return the claims of a token whose signature, `exp` and `nbf` hold.

    Without `require_exp = false` a token that has no `exp` is refused. Raises Internal for every token that
    does not hold, Invalid for wrong arguments.
    """
    name = _algorithm(algorithm)
    text = octets(token, "token")
    parts = text.split(b".") if len(text) <= MAX_TOKEN else []
    if len(parts) != 3:
        raise Internal("token is malformed: expected three parts joined by `.`", retryable=False)
    header = _read(parts[0], "header")
    if header.get("alg") != name:
        raise Internal(f"token is signed by `{header.get('alg')!s:.20}`, expected {name}", retryable=False)
    if "crit" in header:
        raise Internal("token has critical header fields that are not understood", retryable=False)
    if not _holds(name, key, parts[0] + b"." + parts[1], _bytes(parts[2], "signature")):
        raise Internal("token signature is invalid", retryable=False)
    claims = _read(parts[1], "claims")
    _check_times(claims, required=require_exp is not False)
    return claims


def _algorithm(value: object) -> str:
    name = "HS256" if value is None else value
    if not isinstance(name, str) or (name not in _HMACS and name != "RS256"):
        expected = "expected HS256, HS384, HS512 or RS256"
        raise Invalid(f"unsupported algorithm `{name!s:.20}`: {expected}", retryable=False)
    return name


def _sign(name: str, key: object, data: bytes) -> bytes:
    if name in _HMACS:
        return hmac.new(octets(key, "key", empty=False), data, _HMACS[name]).digest()
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.asymmetric import padding

    return bytes(_private_key(key).sign(data, padding.PKCS1v15(), hashes.SHA256()))


def _holds(name: str, key: object, data: bytes, signature: bytes) -> bool:
    if name in _HMACS:
        return hmac.compare_digest(_sign(name, key, data), signature)
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.asymmetric import padding

    try:
        _public_key(key).verify(signature, data, padding.PKCS1v15(), hashes.SHA256())
    except InvalidSignature:
        return False
    return True


def _private_key(key: object) -> Any:
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    try:
        found = load_pem_private_key(octets(key, "key", empty=False), None)
    except (ValueError, TypeError):
        raise Invalid("invalid RSA private key: expected PEM without a password", retryable=False) from None
    if not isinstance(found, RSAPrivateKey):
        raise Invalid("key is not an RSA private key", retryable=False)
    return found


def _public_key(key: object) -> Any:
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
    from cryptography.hazmat.primitives.serialization import load_pem_public_key
    from cryptography.x509 import load_pem_x509_certificate

    pem = octets(key, "key", empty=False)
    try:
        if b"BEGIN CERTIFICATE" in pem:
            found: Any = load_pem_x509_certificate(pem).public_key()
        else:
            found = load_pem_public_key(pem)
    except (ValueError, TypeError):
        raise Invalid("invalid RSA public key: expected PEM", retryable=False) from None
    if not isinstance(found, RSAPublicKey):
        raise Invalid("key is not an RSA public key", retryable=False)
    return found


def _segment(value: Mapping[str, Value]) -> bytes:
    try:
        return _base64(json.dumps(value, separators=(",", ":"), allow_nan=False).encode("utf-8"))
    except (TypeError, ValueError) as error:
        raise Invalid(f"payload has no JSON form: {error}", retryable=False) from None


def _base64(data: bytes) -> bytes:
    return base64.urlsafe_b64encode(data).rstrip(b"=")


def _bytes(part: bytes, name: str) -> bytes:
    if b"+" in part or b"/" in part:
        raise Internal(f"token {name} is not base64url", retryable=False)
    try:
        return base64.b64decode(part + b"=" * (-len(part) % 4), altchars=b"-_", validate=True)
    except binascii.Error:
        raise Internal(f"token {name} is not base64url", retryable=False) from None


def _read(part: bytes, name: str) -> dict[str, Value]:
    try:
        value = decode(_bytes(part, name).decode("utf-8", "strict"))
    except (Error, UnicodeDecodeError):
        raise Internal(f"token {name} is not JSON", retryable=False) from None
    if not isinstance(value, dict):
        raise Internal(f"token {name} is not a JSON object", retryable=False)
    return value


def _check_times(claims: Mapping[str, Value], *, required: bool) -> None:
    now = time.time()
    expires, begins = claims.get("exp"), claims.get("nbf")
    if expires is None and required:
        raise Internal("token has no `exp` claim: pass require_exp = false to accept it", retryable=False)
    if expires is not None and not (isinstance(expires, int | float) and expires > now):
        raise Internal("token is expired", retryable=False)
    if begins is not None and not (isinstance(begins, int | float) and begins <= now):
        raise Internal("token is not valid yet", retryable=False)
