"""The module `crypto`: randomness, keyed digests, authenticated encryption, tokens and key derivation."""

from __future__ import annotations

import hashlib
import hmac
import os
import uuid
from functools import partial

from runtime.core.errors import Invalid
from runtime.core.values import Value
from runtime.lua.module import module_from_folder
from runtime.lua.modules.crypto import ciphers, jwt
from runtime.lua.modules.crypto.arguments import MAX_RANDOM, octets, whole

ALPHANUMERIC = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
MAX_ITERATIONS = 10_000_000
MAX_KEY = 1024


def random_bytes(length: object) -> Value:
    """Return `length` random bytes fit for keys."""
    return os.urandom(whole(length, "length", 1, MAX_RANDOM))


def random_string(length: object, charset: object = None) -> Value:
    """Return `length` characters of `charset`, each equally likely."""
    count = whole(length, "length", 1, MAX_RANDOM)
    if charset is not None and (not isinstance(charset, str) or not 0 < len(charset) <= 1024):
        raise Invalid("charset must be a string of 1 to 1024 characters", retryable=False)
    characters = charset or ALPHANUMERIC
    found: list[str] = []
    fair = 65536 - 65536 % len(characters)  # numbers above it would make the first characters likelier
    while len(found) < count:
        numbers = memoryview(os.urandom(2 * (count - len(found)))).cast("H")
        found.extend(characters[number % len(characters)] for number in numbers if number < fair)
    return "".join(found)


def random_uuid() -> Value:
    """Return a random UUID (version 4)."""
    return str(uuid.uuid4())


def keyed(algorithm: str, key: object, data: object) -> Value:
    """Return the HMAC of `data` as lower-case hex; the key stands first here, unlike in `hash`."""
    return hmac.new(octets(key, "key", empty=False), octets(data, "data"), algorithm).hexdigest()


def pbkdf2(password: object, salt: object, iterations: object, length: object, name: object = None) -> Value:
    """Return `length` bytes derived from a password by PBKDF2 with SHA-256 or SHA-512."""
    secret, grain = octets(password, "password", empty=False), octets(salt, "salt", empty=False)
    rounds = whole(iterations, "iterations", 1, MAX_ITERATIONS)
    size = whole(length, "key length", 1, MAX_KEY)
    algorithm = "sha256" if name is None else name
    if algorithm not in ("sha256", "sha512"):
        raise Invalid(f"unsupported hash function `{name!s:.20}`: expected sha256 or sha512", retryable=False)
    if rounds * -(-size // (32 if algorithm == "sha256" else 64)) > MAX_ITERATIONS:
        raise Invalid(f"iterations times key blocks must stay within {MAX_ITERATIONS}", retryable=False)
    return hashlib.pbkdf2_hmac(str(algorithm), secret, grain, rounds, size)


def constant_time_compare(a: object, b: object) -> Value:
    """Return whether two strings are equal, in a time that does not tell where they differ."""
    return hmac.compare_digest(octets(a, "first argument"), octets(b, "second argument"))


MODULE = module_from_folder(
    __file__,
    functions={
        "random_bytes": random_bytes,
        "random_string": random_string,
        "random_uuid": random_uuid,
        "hmac_sha256": partial(keyed, "sha256"),
        "hmac_sha512": partial(keyed, "sha512"),
        "encrypt_aes": partial(ciphers.encrypt, "aes"),
        "encrypt_chacha20": partial(ciphers.encrypt, "chacha20"),
        "decrypt_aes": partial(ciphers.decrypt, "aes"),
        "decrypt_chacha20": partial(ciphers.decrypt, "chacha20"),
        "jwt_encode": jwt.encode,
        "jwt_verify": jwt.verify,
        "pbkdf2": pbkdf2,
        "constant_time_compare": constant_time_compare,
    },
    page="lua/security/crypto",
    summary="Random values, HMAC, AES and ChaCha20 encryption, JSON Web Tokens, PBKDF2.",
    classes=("security", "nondeterministic"),
)
