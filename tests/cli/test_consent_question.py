"""What the owner reads is what runs."""

from __future__ import annotations

from runtime.cli.render.consent import agrees, consent_question
from runtime.evolution.consent import Question
from runtime.registry.entry import Entry


def question(source: str, **meta: str) -> str:
    entry = Entry("app.generated:x", "function.lua", dict(meta), {"source": source, "modules": ["time"]})
    return consent_question(Question("create", entry, ("time",), entry.digest, False))


def test_the_question_shows_the_source_the_modules_and_the_hash() -> None:
    text = question("local a = 1\nreturn a")
    assert "1 | local a = 1" in text
    assert "2 | return a" in text
    assert "modules: time" in text
    assert "sha256:" in text


def test_characters_that_hide_or_turn_text_are_shown_as_escapes() -> None:
    text = question("return 1 --\u202e gnp \x1b[2K\rreturn 2", llm_description="a\u200bb")
    assert "\\u{202e}" in text
    assert "\\u{1b}" in text
    assert "\\u{d}" in text
    assert "\\u{200b}" in text


def test_only_a_yes_agrees() -> None:
    assert agrees(" Y ")
    assert agrees("yes")
    assert not any(agrees(answer) for answer in ("", "n", "ja", "yes please", "1"))
