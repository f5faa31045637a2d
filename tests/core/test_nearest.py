"""A misspelt name is answered with the one that was meant, and with none where no name is near."""

from __future__ import annotations

import pytest

from runtime.core.nearest import did_you_mean, nearest

IDS = [
    "app:agent",
    "app:agent_reads",
    "app.tools:time_now",
    "shop:clerk",
    "shop:reads",
    "Gpt-5",
    "app.tools:x",
]


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("app:agnet", "app:agent"),
        ("app:agent_read", "app:agent_reads"),
        ("ap:agent", "app:agent"),
        ("app.tool:time_now", "app.tools:time_now"),
        ("app.tool:tyme_now", "app.tools:time_now"),
        ("app:time_now", "app.tools:time_now"),
        ("elsewhere:clerk", "shop:clerk"),
        ("agent", "app:agent"),
        ("clrk", "shop:clerk"),
        (" Shop:Clerk ", "shop:clerk"),
        ("gpt5", "Gpt-5"),
        ("app:agent # the first", "app:agent"),
        ("shop:gone", None),
        ("shop:zzzzz", None),
        ("", None),
        (":", None),
        ("x" * 100_000, None),
    ],
)
def test_of_an_id_the_parts_are_compared(word: str, meant: str | None) -> None:
    assert nearest(word, IDS) == meant


def test_what_is_meant_is_said_or_nothing() -> None:
    assert did_you_mean("alow", ["allow", "deny"]) == "; did you mean `allow`?"
    assert did_you_mean("permit", ["allow", "deny"]) == ""
    assert did_you_mean("anything", []) == ""


def test_many_names_cost_little() -> None:
    names = [f"app:function_{number}" for number in range(50_000)]
    assert nearest("app:functoin_77", names) is not None
    assert nearest("nowhere:nothing", names) is None
