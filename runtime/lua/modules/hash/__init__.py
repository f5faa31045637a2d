"""The module `hash`: digests, keyed digests and FNV-1a over byte strings."""

from __future__ import annotations

import hashlib
import hmac
from functools import partial

from runtime.core.errors import Invalid
from runtime.core.values import Value
from runtime.lua.module import module_from_folder


def _data(value: object, name: str) -> bytes:
    if not isinstance(value, str | bytes):
        raise Invalid(f"{name} must be a string", retryable=False)
    return value.encode("utf-8") if isinstance(value, str) else value


def digest(algorithm: str, data: object, raw: object = None) -> Value:
    """Return the digest of `data` as lower-case hex, or as bytes when `raw` is true."""
    found = hashlib.new(algorithm, _data(data, "data"), usedforsecurity=False)
    return found.digest() if raw is True else found.hexdigest()


def keyed(algorithm: str, data: object, secret: object, raw: object = None) -> Value:
    """Return the HMAC of `data` under `secret` as lower-case hex, or as bytes when `raw` is true."""
    found = hmac.new(_data(secret, "secret"), _data(data, "data"), algorithm)
    return found.digest() if raw is True else found.hexdigest()


def fnv(offset: int, prime: int, bits: int, data: object) -> Value:
    """Return the FNV-1a hash of `data`; 64-bit values above the range of Lua's integers wrap to negative."""
    value = offset
    for byte in _data(data, "data"):
        value = ((value ^ byte) * prime) & ((1 << bits) - 1)
    return value - (1 << 64) if bits == 64 and value >> 63 else value


MODULE = module_from_folder(
    __file__,
    functions={
        **{name: partial(digest, name) for name in ("md5", "sha1", "sha256", "sha512")},
        **{f"hmac_{name}": partial(keyed, name) for name in ("md5", "sha1", "sha256", "sha512")},
        "fnv32": partial(fnv, 0x811C9DC5, 0x01000193, 32),
        "fnv64": partial(fnv, 0xCBF29CE484222325, 0x100000001B3, 64),
    },
    page="lua/security/hash",
    summary="Digests of text and bytes: MD5, SHA-1, SHA-256, SHA-512, HMAC and FNV.",
    classes=("deterministic",),
)
