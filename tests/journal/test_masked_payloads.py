"""The quick way of writing a payload masks what the long way masks, whatever stands in it."""

from __future__ import annotations

import random
from typing import Any

from runtime.core.canonical import canonical
from runtime.core.redact import Redactor
from runtime.core.values import Value
from runtime.journal import payload as payloads

CASES = 20_000
LEARNED = ('quo"te\\back\nline', "plain-learned-value", "\x01control-learned\x1f", "Ünïcødé-geheim")
WORDS = (
    *("hello", "risk-averse", "tokens", "monkey", "the key is", "a token: ", "ghp_", "eyJ", "bearer of news"),
    *("sk-abcdefghijklmnop1234", "sk-ant-REDACT123", "ghp_abcdefghij0123456789", "AKIAABCDEFGHIJKLMNOP"),
    *("password=hunter2hunter2", 'password="p q"', "api_key: 0123456789abcdef0", "Api-Key=xyz123xyz123"),
    *('token="a1b2c3d4e5f6"', "token\t=\tx9y8z7w6v5u4", "?token=abc123def456", "token%3Dabc123def456"),
    *("https://u:pa\\ss@host/x", "https://example.com/a@b", "Authorization: Bearer abc123def456ghi7"),
    *(
        "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0B\n-----END PRIVATE KEY-----",
        "BEARER%20aaaabbbb1111",
    ),
    *("secret_access_key=abc/def+123456789", "pwd:Tr0ub4dor&3Tr0ub", "\u0130\u212aey", "İpassword=x1x1x1x1"),
    *LEARNED,
    *(text.encode().hex() for text in LEARNED),
)
NAMES = (
    "content",
    "password",
    "api_key",
    "Client-Secret",
    "tokens",
    "n",
    "$bytes",
    "$map",
    "sk-abcdefgh12345678",
)


def redactor() -> Redactor:
    made = Redactor()
    for secret in LEARNED:
        made.learn(secret)
    return made


def some_text(chance: random.Random) -> str:
    joined = "".join(
        chance.choice(("", " ", "\n", '"', "'", "\\", "\t", "=", ":")) + chance.choice(WORDS)
        for _ in range(chance.randint(0, 3))
    )
    return joined[chance.randint(0, 2) :]


def some_value(chance: random.Random, depth: int = 0) -> Any:
    kind = chance.randint(0, 9 if depth < 3 else 5)
    if kind <= 3:
        return some_text(chance)
    if kind == 4:
        return chance.choice((None, True, False, 0, -1, 2**63, 0.0, -0.0, 1.5, 1e300))
    if kind == 5:
        return some_text(chance).encode()
    if kind == 6:
        return [some_value(chance, depth + 1) for _ in range(chance.randint(0, 3))]
    return {chance.choice(NAMES): some_value(chance, depth + 1) for _ in range(chance.randint(0, 3))}


def the_long_way(value: Value, masks: Redactor) -> tuple[Value, str]:
    masked = masks.value(value)
    return masked, canonical(payloads._plain(masked)).decode()


def test_the_quick_way_writes_what_the_long_way_writes() -> None:
    masks, quick = redactor(), 0
    for seed in range(CASES):
        value = some_value(random.Random(seed))
        written = payloads.encode(value, masks)
        assert written == the_long_way(value, masks), (seed, value)
        quick += payloads._unmasked(value, masks) is not None
    assert quick > CASES // 10  # else nothing was tested


def test_what_was_written_is_a_copy() -> None:
    value: Any = {"a": [1, {"b": 2}]}
    written: Any = payloads.encode(value, redactor())[0]
    value["a"][1]["b"] = 3
    assert written == {"a": [1, {"b": 2}]}
