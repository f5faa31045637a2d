"""Errors cross every boundary as plain data and come back as what they were."""

from __future__ import annotations

import pytest

from runtime.core.errors import BY_KIND, Conflict, Error, Invalid, Many, NotFound, Place, from_value


@pytest.mark.parametrize("cls", BY_KIND.values(), ids=lambda cls: cls.__name__)
def test_an_error_of_each_kind_comes_back(cls: type[Error]) -> None:
    error = cls("it broke", retryable=True, details={"a": [1]}, place=Place("src/_index.yaml", 4, 2))
    again = from_value(error.to_value())
    assert type(again) is cls
    assert (str(again), again.retryable, again.details) == (str(error), True, {"a": [1]})
    assert again.place == error.place


@pytest.mark.parametrize(
    "place", [Place("a"), Place("a", 1), Place("a:b.yaml", 10, 3), Place("a b/c"), Place("x\ny", 2, 2)]
)
def test_a_place_reads_back(place: Place) -> None:
    assert Place.parse(str(place)) == place


def test_an_unknown_kind_becomes_a_plain_error() -> None:
    assert type(from_value({"kind": "Surprise", "message": "x"})) is Error


@pytest.mark.parametrize(
    "value", [{}, {"kind": 7}, {"message": None}, {"details": "no"}, {"retryable": "yes"}, {"place": 3}]
)
def test_odd_data_still_gives_an_error(value: dict[str, object]) -> None:
    error = from_value(value)  # type: ignore[arg-type]
    assert (error.retryable, error.details, error.place) == (None, {}, None)


@pytest.mark.parametrize(
    ("message", "text"),
    [(b"caf\xe9 \xff", "caf\ufffd \ufffd"), (b"", ""), (["x"], ""), ({"a": 1}, ""), (7, "")],
)
def test_a_message_is_text_and_nothing_of_python(message: object, text: str) -> None:
    assert from_value({"kind": "Internal", "message": message}).message == text  # type: ignore[dict-item]


def test_many_errors_are_one_with_all_places() -> None:
    many = Many([Invalid("bad", place=Place("a.yaml", 1, 1)), NotFound("gone", place=Place("b.yaml", 2, 5))])
    assert str(many) == "a.yaml:1:1: bad\nb.yaml:2:5: gone"
    assert [error["place"] for error in many.details["errors"]] == ["a.yaml:1:1", "b.yaml:2:5"]


def test_an_error_is_caught_by_its_tree() -> None:
    with pytest.raises(Error):
        raise Conflict("x")
