"""The rules of patterns, one row of `patterns.txt` after the other."""

from pathlib import Path

import pytest

from runtime.security.patterns import Filter, matches

ROWS = [
    tuple(column.strip() for column in line.split("|"))
    for line in Path(__file__).with_name("patterns.txt").read_text("utf-8").splitlines()
    if line and not line.startswith("#")
]
# A pattern may hold a bar itself: the last two columns are the value and the answer.
TABLE = [("|".join(row[:-2]), row[-2], row[-1] == "yes") for row in ROWS]


def test_the_table_has_sixty_rows_and_each_says_yes_or_no():
    assert len(TABLE) >= 60
    assert {row[-1] for row in ROWS} == {"yes", "no"}


@pytest.mark.parametrize(("pattern", "value", "expected"), TABLE)
def test_a_pattern_matches_whole_or_as_a_prefix(pattern, value, expected):
    assert matches(pattern, value) is expected
    assert Filter([pattern]).matches(value) is expected


def test_a_filter_matches_what_one_of_its_patterns_matches():
    patterns = sorted({row[0] for row in TABLE} - {"*"})
    for start in range(0, len(patterns), 7):
        some = patterns[start : start + 7]
        for _, value, _ in TABLE:
            assert Filter(some).matches(value) is any(matches(each, value) for each in some)


def test_no_pattern_matches_nothing():
    assert not Filter([]).matches("app:x")
    assert not Filter([]).matches("")
