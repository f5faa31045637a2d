"""The question that an owner answers before a run-time change is written: all of it, nothing hidden in it.

Control characters are shown as escapes, also those that turn text around (Unicode bidirectional marks), so
the source that is read is the source that runs.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from runtime.core.text import visible

if TYPE_CHECKING:
    from runtime.evolution.consent import Question


def consent_question(question: Question) -> str:
    """Return the text of the question, ending in a prompt."""
    entry = question.entry
    act = {"create": "create", "update": "replace", "delete": "delete"}[question.op]
    lines = [
        "",
        f"Asked for: {act} `{entry.id}`, kind {entry.kind}, {question.digest}",
        f"  modules: {', '.join(question.modules) or 'none'}",
    ]
    description = entry.meta.get("llm_description") or entry.meta.get("comment")
    if description:
        lines.append(f"  description: {visible(str(description))}")
    source = entry.fields.get("source")
    if isinstance(source, str):
        lines.append("  source:")
        numbered = enumerate(source.rstrip("\n").split("\n"), start=1)
        lines += [f"    {number:>3} | {visible(line)}" for number, line in numbered]
    rest: dict[str, Any] = {
        "meta": {name: value for name, value in entry.meta.items() if value != description},
        "data": {name: value for name, value in entry.fields.items() if name not in ("source", "modules")},
    }
    lines.append("  the rest of the entry:")
    shown = json.dumps(rest, ensure_ascii=False, default=dict, indent=2, sort_keys=True)
    lines += [f"    {line}" for line in visible(shown).split("\n")]
    lines.append("Nothing is written without your consent. Write it? [y/N] ")
    return "\n".join(lines)


def agrees(answer: str) -> bool:
    """Whether `answer` is a yes; anything else, an empty line too, is a no."""
    return answer.strip().lower() in ("y", "yes")
