"""Masking: each case of `secrets/` loses its secret, each of `ordinary/` keeps every letter.

A case of `secrets/` is a text, a line of `=====`, and what must become of it. The sign `\u00a6` is taken out
of the text first: it keeps the made-up tokens from looking like real ones in the repository.
"""

from __future__ import annotations

import base64
import json
import time
from pathlib import Path
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runtime.core.errors import NotFound, Place
from runtime.core.redact import Redactor

HERE = Path(__file__).parent


def read(path: Path) -> str:
    return path.read_text(encoding="utf-8").replace("\u00a6", "")


SECRETS = sorted((HERE / "secrets").glob("*.txt"))
ORDINARY = sorted((HERE / "ordinary").glob("*.txt"))
FRAGMENTS = [json.loads(line) for line in read(HERE / "hostile_fragments.jsonl").splitlines()]
SECRET = 'cor"rect horse/bat+tery \u00e9'


@pytest.mark.parametrize("path", SECRETS, ids=lambda path: path.stem)
def test_a_secret_is_masked_and_nothing_else(path: Path) -> None:
    text, _, masked = read(path).removesuffix("\n").partition("\n=====\n")
    redactor = Redactor()
    assert redactor.text(text) == masked
    assert redactor.text(masked) == masked
    assert redactor.value({"a": [text, text.encode()]}) == {"a": [masked, masked.encode()]}


@pytest.mark.parametrize("path", ORDINARY, ids=lambda path: path.stem)
def test_ordinary_text_stays_as_it_is(path: Path) -> None:
    text = read(path)
    assert Redactor().text(text) == text
    for line in text.splitlines():
        assert Redactor().text(line) == line


def test_the_sources_that_the_package_brings_stay_as_they_are() -> None:
    package = HERE.parents[1] / "runtime"
    for path in (*package.rglob("*.lua"), *package.rglob("*.yaml")):
        text = path.read_text(encoding="utf-8")
        assert Redactor().text(text) == text, path.name


@pytest.mark.parametrize(
    "form",
    [
        SECRET,
        json.dumps(SECRET),
        json.dumps(SECRET, ensure_ascii=False),
        quote(SECRET),
        quote(SECRET, safe=""),
        quote(SECRET, safe="").replace("%2F", "%2f").replace("%C3%A9", "%c3%a9").replace("%2B", "%2b"),
        quote_plus(SECRET),
        base64.b64encode(SECRET.encode()).decode(),
        base64.urlsafe_b64encode(SECRET.encode()).decode().rstrip("="),
        *(base64.b64encode(b"x" * n + SECRET.encode() + b"y" * n).decode() for n in range(1, 5)),
    ],
)
def test_a_learned_secret_is_masked_in_every_form(form: str) -> None:
    redactor = Redactor()
    assert redactor.learn(SECRET, "password")
    masked = redactor.text(f"<{form}>")
    assert "[redacted:password]" in masked
    assert len(masked) < len("<[redacted:password]>") + 16  # what is left is the text around it


def test_a_short_secret_is_not_learned_because_it_would_maul_ordinary_text() -> None:
    redactor = Redactor()
    assert not redactor.learn("short77")
    assert redactor.text("short77 and long") == "short77 and long"


def test_a_learned_secret_has_no_effect_before_it_was_learned_and_for_others() -> None:
    one, other = Redactor(), Redactor()
    one.learn("correct horse")
    assert other.text("correct horse") == "correct horse"


def test_keys_are_masked_too_and_stay_apart() -> None:
    redactor = Redactor()
    redactor.learn("correct horse")
    redactor.learn("battery staple")
    masked = redactor.value({"correct horse": 1, "battery staple": 2, "[redacted:secret](2)": 3})
    assert masked == {"[redacted:secret]": 1, "[redacted:secret](3)": 2, "[redacted:secret](2)": 3}


@pytest.mark.parametrize(
    "name", ["password", "db_password", "apiKey", "API-Key", "client_secret", "Authorization"]
)
def test_a_field_that_is_named_like_a_secret_loses_its_text(name: str) -> None:
    masked = Redactor().value({name: "x y"})
    assert isinstance(masked, dict)
    assert str(masked[name]).startswith("[redacted:")


@pytest.mark.parametrize(
    "value",
    [
        {"password": {"type": "string"}},
        {"password": "string"},
        {"api_key": "OPENAI_API_KEY"},
        {"api_key": "${KEY}"},
        {"password": ""},
        {"password": None},
        {"tokens": "1200", "token": "hello"},
    ],
)
def test_a_placeholder_in_such_a_field_stays(value: dict[str, object]) -> None:
    assert Redactor().value(value) == value  # type: ignore[arg-type]


def test_the_value_that_was_given_is_left_alone() -> None:
    value = {"a": ["password=swordfish"]}
    masked = Redactor().value(value)  # type: ignore[arg-type]
    assert value == {"a": ["password=swordfish"]}
    assert masked == {"a": ["password=[redacted:password]"]}


def test_a_value_without_end_is_cut_and_does_not_raise() -> None:
    value: list[object] = []
    value.append(value)
    assert "[too deep]" in json.dumps(Redactor().value(value))  # type: ignore[arg-type]


def test_an_error_is_masked_in_message_details_and_place_and_stays_what_it_is() -> None:
    redactor = Redactor()
    redactor.learn("correct horse")
    error = NotFound("no correct horse", details={"a": "correct horse"}, place=Place("correct horse", 3))
    masked = redactor.error(error)
    assert type(masked) is NotFound
    assert str(masked) == "[redacted:secret]:3: no [redacted:secret]"
    assert masked.details == {"a": "[redacted:secret]"}
    assert "correct" not in repr(masked)
    assert redactor.error(masked) is masked


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(FRAGMENTS), max_size=30))
def test_masking_what_is_masked_changes_nothing(parts: list[str]) -> None:
    redactor = Redactor()
    once = redactor.text("".join(parts))
    assert redactor.text(once) == once


@pytest.mark.parametrize("fragment", FRAGMENTS)
def test_hostile_text_costs_linear_time(fragment: str) -> None:
    redactor = Redactor()

    def seconds(size: int) -> float:
        text = fragment * (size // len(fragment))
        times = []
        for _ in range(3):
            start = time.thread_time()
            redactor.text(text)
            times.append(time.thread_time() - start)
        return min(times)

    # Sixteen times the text: about 16 times the time where it is linear, 256 where it is quadratic.
    assert seconds(160_000) < 64 * max(seconds(10_000), 0.0005)
