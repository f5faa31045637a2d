"""A missing tool is got: an earlier one from the registry, else a new one, written from the documentation."""

from __future__ import annotations

import re
from typing import Any

from runtime.llm.offline import phrasing
from runtime.llm.offline.conversation import Turn
from runtime.llm.offline.intent import Intent
from runtime.llm.offline.skills import (
    CREATE_TOOL,
    DOC_SEARCH,
    LOAD_TOOL,
    REGISTRY_LIST,
    SKILLS,
    Skill,
    fitness,
)
from runtime.llm.offline.steps import Step
from runtime.llm.offline.writing import Draft, draft

_PATH = re.compile(r"\b[a-z0-9_]+(?:/[a-z0-9_\-]+)+")


def get_tool(intent: Intent, turn: Turn, offered: set[str]) -> Step | str:
    """Return the next step towards a tool for `intent`, or why there will be none.

    `offered` are the names of the tools at hand, none of which fits.
    """
    skill = SKILLS[intent.kind]
    if REGISTRY_LIST in offered and LOAD_TOOL in offered:
        listed = turn.find(REGISTRY_LIST, type="tool")
        if listed is None:
            return Step(
                f"None of my tools is made to {skill.aim}; looking for one in the registry.",
                REGISTRY_LIST,
                {"type": "tool"},
            )
        if entry_id := _earlier(intent, listed.field("entries")):
            loaded = turn.find(LOAD_TOOL, id=entry_id)
            if loaded is None:
                return Step(f"`{entry_id}` is there from earlier; loading it.", LOAD_TOOL, {"id": entry_id})
            if not loaded.error:
                return _not_offered(entry_id)
    return _make(skill, turn, offered)


def read_page(skill: Skill, turn: Turn) -> Step | Draft | str:
    """Return the step that reads the documentation, the tool that it describes, or why there is none."""
    page = turn.find(DOC_SEARCH, path=skill.page)
    if page is None:
        return Step(f"Reading {skill.page} to write one.", DOC_SEARCH, {"path": skill.page})
    path = skill.page
    if page.error:
        search = turn.find(DOC_SEARCH, query=skill.query)
        if search is None:
            return Step(f"There is no page {path}; searching.", DOC_SEARCH, {"query": skill.query})
        found = [p for p in _PATH.findall(str(search.field("results") or "")) if skill.query in p]
        if search.error or not found:
            return f"The documentation has no page on how to {skill.aim}: {page.error}"
        path = found[0]
        page = turn.find(DOC_SEARCH, path=path)
        if page is None:
            return Step(f"Reading {path}.", DOC_SEARCH, {"path": path})
        if page.error:
            return f"The page {path} could not be read: {page.error}"
    drafted = draft(str(page.field("content") or ""), f"A tool to {skill.aim}")
    if isinstance(drafted, str):
        return f"The page {path} {drafted}, so I have nothing to write a tool from."
    return drafted


def _make(skill: Skill, turn: Turn, offered: set[str]) -> Step | str:
    missing = [name for name in (DOC_SEARCH, CREATE_TOOL, LOAD_TOOL) if name not in offered]
    if missing:
        return phrasing.lacking(skill.aim, missing)
    drafted = read_page(skill, turn)
    if not isinstance(drafted, Draft):
        return drafted
    created = turn.find(CREATE_TOOL, name=skill.tool)
    if created is None:
        return Step(f"Creating `{skill.tool}` from that page.", CREATE_TOOL, drafted.arguments(skill.tool))
    if created.error:
        return phrasing.refused(f"Creating `{skill.tool}`", created.error)
    entry_id = str(created.field("id") or "")
    loaded = turn.find(LOAD_TOOL, id=entry_id)
    if loaded is None:
        return Step(f"Loading `{entry_id}`.", LOAD_TOOL, {"id": entry_id})
    if loaded.error:
        return phrasing.refused(f"Loading `{entry_id}`", loaded.error)
    return _not_offered(entry_id)


def _earlier(intent: Intent, entries: Any) -> str:
    """Return the id of the entry that fits best, by its name and title, or nothing."""
    best, best_id = 0, ""
    for entry in entries if isinstance(entries, list) else ():
        if isinstance(entry, dict) and isinstance(entry_id := entry.get("id"), str):
            score = fitness(intent, entry_id.rpartition(":")[2], str(entry.get("title") or ""))
            if score > best:
                best, best_id = score, entry_id
    return best_id


def _not_offered(entry_id: str) -> str:
    return f"`{entry_id}` was loaded, but it is not among the tools that I was given, so I can not call it."
