"""A tool whose input schema a strict provider refuses is never written: it would fail every later request."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from e2e_parts import application, assert_complete, talk, written
from server_scripts import HASH_SOURCE, create, results, scripted

from runtime.testing.scripted_model import say


def one(part: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"text": part}}


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "pattern": (one({"type": "string", "pattern": "("}), "`properties.text.pattern`"),
    "negative": (one({"type": "string", "minLength": -1}), "`properties.text.minLength`"),
    "words": (one({"type": "string", "minLength": "x"}), "`properties.text.minLength`"),
    "description": (one({"type": "string", "description": 5}), "`properties.text.description`"),
    "twice": ({**one({"type": "string"}), "required": ["text", "text"]}, "`required`"),
    "listed": (one({"type": "array", "items": [{"type": "string"}]}), "items"),
    "not": ({**one({"type": "string"}), "not": {"required": ["x"]}}, "the root must not have `not`"),
    "enum": ({**one({"type": "string"}), "enum": [{}]}, "the root must not have `enum`"),
    "any": ({**one({"type": "string"}), "anyOf": [{"type": "object"}]}, "the root must not have `anyOf`"),
}


def test_a_schema_that_a_strict_provider_refuses_is_not_written(tmp_path: Path) -> None:
    project = application(tmp_path)
    script = [
        create(f"tool_{name}", HASH_SOURCE, ["hash"], f"c{at}", input_schema=schema)
        for at, (name, (schema, _)) in enumerate(REFUSED.items())
    ]
    with scripted([*script, say("None of them.")]) as model:
        ended = talk(project, "go\n", "--yes", OPENAI_BASE_URL=model.base_url)
    assert ended.code == 0
    found = results(model.requests[-1].body)
    for at, (name, (_, said)) in enumerate(REFUSED.items()):
        assert said in found[f"c{at}"]["error"], name
    assert written(project) == []
    assert_complete(project)
