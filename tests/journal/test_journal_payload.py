"""A payload's text: every value comes back, and text that nobody wrote is refused."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runtime.core.errors import Invalid
from runtime.core.redact import Redactor
from runtime.journal.payload import decode, encode

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
    | st.binary(max_size=20)
)
KEYS = st.sampled_from(["a", "$bytes", "$map", "", "\u00e9"])
PAYLOADS = st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(KEYS, inner), max_leaves=20)


@settings(max_examples=300, deadline=None)
@given(PAYLOADS)
def test_any_payload_comes_back_as_it_was(payload: object) -> None:
    text = encode(payload, Redactor())  # type: ignore[arg-type]
    assert decode(text) == payload
    assert encode(decode(text), Redactor()) == text


@pytest.mark.parametrize(
    ("payload", "text"),
    [
        (b"\xff", '{"$bytes":"/w=="}'),
        ({"$bytes": "x"}, '{"$map":{"$bytes":"x"}}'),
        ({"$map": {}}, '{"$map":{"$map":{}}}'),
        ({"$bytes": 1, "b": b""}, '{"$bytes":1,"b":{"$bytes":""}}'),
        ('{"$bytes":"x"}', json.dumps('{"$bytes":"x"}')),
    ],
)
def test_bytes_and_what_looks_like_them_have_their_own_forms(payload: object, text: str) -> None:
    assert encode(payload, Redactor()) == text  # type: ignore[arg-type]
    assert decode(text) == payload


@pytest.mark.parametrize(
    "text", ["", "{", '{"$bytes":"*"}', '{"$bytes":3}', '{"$map":[]}', '{"a":[{"$bytes":"a"}]}']
)
def test_text_that_is_no_payload_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        decode(text)


def test_a_payload_too_deep_is_refused() -> None:
    payload: object = 1
    for _ in range(200):
        payload = [payload]
    with pytest.raises(Invalid, match="nested deeper"):
        encode(payload, Redactor())  # type: ignore[arg-type]
