"""Authenticated encryption: AES-GCM and ChaCha20-Poly1305, with a random nonce in front of what they give."""

from __future__ import annotations

import os
from typing import Any

from runtime.core.errors import Internal, Invalid
from runtime.core.values import Value
from runtime.lua.modules.crypto.arguments import octets

NONCE = 12


def encrypt(cipher: str, data: object, key: object, aad: object = None) -> Value:
    """Return nonce, ciphertext and tag of `data`."""
    sealer = _cipher(cipher, key)
    plain = octets(data, "data")
    nonce = os.urandom(NONCE)
    return nonce + bytes(sealer.encrypt(nonce, plain, _optional(aad)))


def decrypt(cipher: str, data: object, key: object, aad: object = None) -> Value:
    """Return the plaintext; raise Internal when key, data or `aad` are not those of the encryption."""
    from cryptography.exceptions import InvalidTag

    sealer = _cipher(cipher, key)
    sealed = octets(data, "data")
    if len(sealed) < NONCE + 16:
        raise Invalid("encrypted data too short", retryable=False)
    try:
        return bytes(sealer.decrypt(sealed[:NONCE], sealed[NONCE:], _optional(aad)))
    except InvalidTag:
        raise Internal("decryption failed: wrong key, wrong aad or changed data", retryable=False) from None


def _cipher(name: str, key: object) -> Any:
    from cryptography.hazmat.primitives.ciphers import aead

    secret = octets(key, "key")
    if name == "aes":
        if len(secret) not in (16, 24, 32):
            raise Invalid(f"key must be 16, 24 or 32 bytes, got {len(secret)}", retryable=False)
        return aead.AESGCM(secret)
    if len(secret) != 32:
        raise Invalid(f"key must be 32 bytes, got {len(secret)}", retryable=False)
    return aead.ChaCha20Poly1305(secret)


def _optional(aad: object) -> bytes | None:
    return None if aad is None else octets(aad, "aad")
