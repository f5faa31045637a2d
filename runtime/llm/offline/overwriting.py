"""What the user wants overwritten is attempted with the tools at hand, and the outcome is told as it was.

Whether that is allowed is for the policies to say; the rehearsal shows that they are asked.
"""

from __future__ import annotations

from typing import Any

from runtime.core.values import Value
from runtime.llm.offline import phrasing
from runtime.llm.offline.conversation import Turn
from runtime.llm.offline.intent import Intent
from runtime.llm.offline.making import read_page
from runtime.llm.offline.skills import CREATE_TOOL, DOC_SEARCH, REGISTRY_LIST, SKILLS, skill_of_tool
from runtime.llm.offline.steps import Step
from runtime.llm.offline.writing import Draft

PROMPT = "prompt"
AGENT_TYPE = "agent.gen1"
OWN_AGENT = "app:dev_assistant"
"""The agent of the application that ships, tried where the registry shows none."""

STAND_IN = """\
local function handler(input)
  return { note = "written by the scripted rehearsal" }
end

return { handler = handler }
"""


def overwrite(intent: Intent, turn: Turn, offered: set[str]) -> Step | str:
    """Return the next step towards overwriting what `intent` names, or how it ended."""
    what = "my own prompt" if intent.target == PROMPT else f"`{intent.target}`"
    if intent.kind == "delete":
        return f"None of the tools that I was given deletes anything, so {what} stays."
    if CREATE_TOOL not in offered:
        return f"I can not overwrite {what}: `{CREATE_TOOL}` is not among the tools that I was given."
    target = _find(intent, turn, offered)
    if isinstance(target, Step):
        return target
    attempt = turn.find(CREATE_TOOL, name=target)
    if attempt is None:
        arguments = _arguments(target, turn, offered)
        if not isinstance(arguments, dict):
            return arguments
        return Step(f"Trying to overwrite `{target}`, as asked.", CREATE_TOOL, arguments)
    if attempt.error:
        return phrasing.refused(f"Overwriting {what} (`{target}`)", attempt.error)
    verb = "updated" if attempt.field("updated") else "created"
    return f"The tool `{CREATE_TOOL}` {verb} `{attempt.field('id')}`."


def _find(intent: Intent, turn: Turn, offered: set[str]) -> Step | str:
    """Return the id of what is meant; where only its name is known the registry is asked."""
    if ":" in intent.target:
        return intent.target
    kind = AGENT_TYPE if intent.target == PROMPT else "tool"
    ids: list[str] = []
    if REGISTRY_LIST in offered:
        listed = turn.find(REGISTRY_LIST, type=kind)
        if listed is None:
            return Step("Looking for its id in the registry.", REGISTRY_LIST, {"type": kind})
        entries: Any = listed.field("entries")
        ids = [str(entry.get("id")) for entry in entries if isinstance(entry, dict)] if entries else []
    if intent.target == PROMPT:
        return OWN_AGENT if OWN_AGENT in ids or not ids else ids[0]
    return next((entry_id for entry_id in ids if entry_id.rpartition(":")[2] == intent.target), intent.target)


def _arguments(target: str, turn: Turn, offered: set[str]) -> dict[str, Value] | Step | str:
    """Return the arguments for create_tool: written from its page where the tool is one of ours."""
    kind = skill_of_tool(target.rpartition(":")[2])
    if kind is None or DOC_SEARCH not in offered:
        return {"name": target, "description": "Overwritten on request", "source": STAND_IN, "modules": []}
    drafted = read_page(SKILLS[kind], turn)
    return drafted.arguments(target) if isinstance(drafted, Draft) else drafted
