"""What the rehearsal understands, as a table of words, and how it shortens a text."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runtime.llm.offline.driver import OfflineDriver
from runtime.llm.offline.intent import Intent
from runtime.llm.offline.intents import MAX_QUESTION, understand
from runtime.llm.offline.summary import shorten, summarize
from runtime.llm.offline.zones import find_zone
from runtime.llm.request import Message, Request

WORDS: list[tuple[str, dict[str, Any]]] = [
    ("what time is it?", {"kind": "time"}),
    ("time?", {"kind": "time"}),
    ("What's the date today", {"kind": "time"}),
    ("tell me the current time please", {"kind": "time"}),
    ("current time UTC", {"kind": "time", "zone": "UTC"}),
    ("time in Europe/Madrid", {"kind": "time", "zone": "Europe/Madrid"}),
    ("what time is it in new york right now?", {"kind": "time", "zone": "America/New_York"}),
    ("What time is it in S\u00e3o Paulo?", {"kind": "time", "zone": "America/Sao_Paulo"}),
    ("what time is it in Tokyo, Japan?", {"kind": "time", "zone": "Asia/Tokyo"}),
    ("what time is it in Nowhereville?", {"kind": "time", "zone": None, "place": "Nowhereville"}),
    ("sha256 of hello?", {"kind": "hash", "text": "hello", "algorithm": "sha256"}),
    ("SHA-256 of 'hello world?'", {"kind": "hash", "text": "hello world?", "algorithm": "sha256"}),
    ('what is the sha 512 hash of "a; b"?', {"kind": "hash", "text": "a; b", "algorithm": "sha512"}),
    ("hash hello with md5", {"kind": "hash", "text": "hello", "algorithm": "md5"}),
    ("sha256 of salt and pepper", {"kind": "hash", "text": "salt and pepper"}),
    ("sha256 of time and date", {"kind": "hash", "text": "time and date"}),
    ("sha256 of it's here!", {"kind": "hash", "text": "it's here"}),
    ("sha256 of what time is it", {"kind": "hash", "text": "what time is it"}),
    ("sha256 of the word hello", {"kind": "hash", "text": "hello"}),
    ("sha256 of two\nlines", {"kind": "hash", "text": "two\nlines"}),
    ("base64 of hello", {"kind": "base64", "text": "hello", "operation": "encode"}),
    ("encode hello world as base64", {"kind": "base64", "text": "hello world", "operation": "encode"}),
    ("what is hello in base64?", {"kind": "base64", "text": "hello", "operation": "encode"}),
    ("base64 decode aGVsbG8=", {"kind": "base64", "text": "aGVsbG8=", "operation": "decode"}),
    ("decode 'aGVsbG8=' from base64", {"kind": "base64", "text": "aGVsbG8=", "operation": "decode"}),
    ("decode base64 aGVsbG8=", {"kind": "base64", "text": "aGVsbG8=", "operation": "decode"}),
    ("a uuid please", {"kind": "uuid", "count": 1, "version": ""}),
    ("give me 12 random v4 UUIDs", {"kind": "uuid", "count": 12, "version": "4"}),
    ("make five guids", {"kind": "uuid", "count": 5}),
    ("what does the registry hold?", {"kind": "registry", "filter": {}}),
    ("which models exist?", {"kind": "registry", "filter": {"type": "llm.model"}}),
    ("list namespace app.tools", {"kind": "registry", "filter": {"namespace": "app.tools"}}),
    ("overwrite your own prompt", {"kind": "replace", "target": "prompt"}),
    ("change your instructions", {"kind": "replace", "target": "prompt"}),
    ("replace doc_search", {"kind": "replace", "target": "doc_search"}),
    ("replace clock with another", {"kind": "replace", "target": "clock"}),
    ("edit app.tools:load_tool", {"kind": "replace", "target": "app.tools:load_tool"}),
    ("remove load_tool", {"kind": "delete", "target": "load_tool"}),
    ("how are you?", {"kind": "other"}),
    ("what is the time complexity of quicksort?", {"kind": "other"}),
    ("change the subject", {"kind": "other"}),
    ("", {"kind": "other"}),
]


@pytest.mark.parametrize(("text", "expected"), WORDS, ids=[text or "nothing" for text, _ in WORDS])
def test_words_are_understood(text: str, expected: dict[str, Any]) -> None:
    found = understand(text, ["clock"])
    assert len(found) == 1, found
    for name, value in expected.items():
        assert getattr(found[0], name) == value, name


def test_several_questions_are_several_intents() -> None:
    found = understand("Hi! What time is it in Tokyo and Madrid? And then sha256 of a and b. Thanks!")
    assert [(intent.kind, intent.zone or intent.text) for intent in found] == [
        ("time", "Asia/Tokyo"),
        ("time", "Europe/Madrid"),
        ("hash", "a and b"),
    ]


@given(st.text(max_size=300))
@settings(max_examples=200, deadline=None)
def test_any_text_is_understood_as_something(text: str) -> None:
    for question in (text, f"sha256 of {text}", f"encode {text} in base64", f"what time is it in {text}"):
        found = understand(question, ["doc_search"])
        assert found and all(isinstance(intent, Intent) for intent in found)


@pytest.mark.parametrize(
    ("unit", "end"),
    [("a ", ""), ("what is ", "base64"), ("'", ""), ("decode ", "from base64"), ("sha1 of ", "x")],
)
def test_hostile_texts_are_read_in_short_time_and_no_further_than_the_limit(unit: str, end: str) -> None:
    begin = time.process_time()
    assert understand((unit * MAX_QUESTION)[: MAX_QUESTION - len(end)] + end)
    assert understand(unit * 100_000) == [Intent("other")]
    assert time.process_time() - begin < 2


@pytest.mark.parametrize(
    ("place", "zone"),
    [
        ("Tokyo", "Asia/Tokyo"),
        ("the city of Berlin", "Europe/Berlin"),
        ("asia/kolkata", "Asia/Kolkata"),
        ("Asia/Tokio", None),
        ("GMT", "Etc/GMT"),
        ("", None),
        ("../../etc/passwd", None),
    ],
)
def test_a_place_becomes_a_zone_or_nothing(place: str, zone: str | None) -> None:
    assert find_zone(place) == zone


STORY = "\n".join(
    [
        "user: what is the budget of the project called Heron?",
        *(f"assistant: filler sentence number {n} about nothing in particular." for n in range(200)),
        "result of budget: Heron has 1200 left.",
        "assistant: Heron has 1200 left.",
    ]
)


@pytest.mark.parametrize("size", [50, 120, 400, 4000])
def test_a_summary_has_at_most_the_size_and_only_sentences_of_the_text(size: int) -> None:
    short = shorten(STORY, size)
    assert 0 < len(short.encode()) <= size
    if size >= 120:
        assert "Heron" in short
        assert all(line in STORY for line in short.splitlines())


def test_a_short_text_stays_as_it_is() -> None:
    assert shorten("a b", 50) == "a b"
    assert shorten("\u00e9" * 100, 51) == "\u00e9" * 25


def test_a_compression_takes_the_material_and_the_size_from_the_request() -> None:
    asked = f"Shorten the material to at most 300 characters.\n-----\n{STORY}\n-----"
    messages: list[Message] = [{"role": "user", "content": [{"type": "text", "text": asked}]}]
    assert summarize(messages) == shorten(STORY, 300)
    answer = asyncio.run(
        OfflineDriver().generate(Request("m", "scripted", messages, purpose="compress"), lambda _text: None)
    )
    assert answer.text == shorten(STORY, 300) and answer.metadata["scripted"] is True
    assert "Shorten the material" not in answer.text
