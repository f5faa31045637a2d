"""The quick way of writing a payload masks what the long way masks, whatever stands in it."""

from __future__ import annotations

import random
from typing import Any

import pytest

from runtime.core.redact import Redactor
from runtime.journal import payload as payloads
from runtime.journal import types
from runtime.journal.chain import seal
from runtime.journal.events import Draft

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


def test_the_quick_way_writes_what_the_long_way_writes() -> None:
    masks, quick = redactor(), 0
    for seed in range(CASES):
        value = some_value(random.Random(seed))
        text = payloads.encode(value, masks)
        assert text == payloads.masked(value, masks), (seed, value)
        plain = payloads.encode_plain(value)
        quick += plain is not None and not masks.may_mask(plain)
    assert quick > CASES // 10  # else nothing was tested


@pytest.mark.parametrize(
    "name", ["pass_word", "_api-_key", "Auth-Token", "COOKIE", "set_cookie", "\u212aapi_\u212aey"]
)
def test_a_field_is_masked_for_its_name_however_it_is_written(name: str) -> None:
    value: Any = {"a": [{name: "some value", "n": 1}]}
    assert payloads.encode(value, redactor()) == payloads.masked(value, redactor())


def test_what_is_masked_in_one_draft_of_many_is_masked() -> None:
    drafts = [Draft(types.MESSAGE_ADDED, {"content": f"text {n}"}, actor=f"user:{n}") for n in range(5)]
    drafts[3] = Draft(types.MESSAGE_ADDED, {"content": LEARNED[1]}, actor="user:" + LEARNED[1])
    sealed = seal("a", drafts, redactor())
    assert [LEARNED[1] in each.text + each.actor for each in sealed] == [False] * 5
    assert [each.text for each in sealed[:3]] == [f'{{"content":"text {n}"}}' for n in range(3)]
