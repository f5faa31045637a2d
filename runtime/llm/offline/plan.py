"""The next step follows from the conversation alone: what was asked, which tools are at hand, what came back.

A tool that is offered and fits is called; where none fits, one is got. No call is made twice in one turn, so
every turn ends; what was refused is said and not tried again.
"""

from __future__ import annotations

from runtime.llm.offline import phrasing
from runtime.llm.offline.conversation import Turn
from runtime.llm.offline.filling import fill
from runtime.llm.offline.intent import Intent
from runtime.llm.offline.intents import MAX_QUESTION, understand
from runtime.llm.offline.making import get_tool
from runtime.llm.offline.overwriting import overwrite
from runtime.llm.offline.skills import REGISTRY_LIST, SKILLS, fitness
from runtime.llm.offline.steps import Step
from runtime.llm.request import Tool


def next_step(turn: Turn, tools: list[Tool]) -> Step:
    """Return the next call, or the final answer when nothing is left to do."""
    if len(turn.text) > MAX_QUESTION:
        return Step(phrasing.TOO_LONG.format(limit=MAX_QUESTION))
    sentences: list[str] = []
    for intent in understand(turn.text, [tool.name for tool in tools]):
        outcome = _advance(intent, turn, tools)
        if isinstance(outcome, Step):
            return outcome
        sentences.append(outcome)
    return Step(" ".join(dict.fromkeys(sentences)))


def _advance(intent: Intent, turn: Turn, tools: list[Tool]) -> Step | str:
    offered = {tool.name for tool in tools}
    if intent.kind in SKILLS:
        return _use(intent, turn, tools)
    if intent.kind == "registry":
        return _list(intent, turn, offered)
    if intent.kind in ("replace", "delete"):
        return overwrite(intent, turn, offered)
    return phrasing.HELP


def _use(intent: Intent, turn: Turn, tools: list[Tool]) -> Step | str:
    if intent.place and not intent.zone:
        return phrasing.NO_PLACE.format(place=intent.place)
    fitting = [tool for tool in tools if fitness(intent, tool.name, tool.description)]
    if not fitting:
        return get_tool(intent, turn, {tool.name for tool in tools})
    tool = max(fitting, key=lambda tool: fitness(intent, tool.name, tool.description))
    arguments, problem = fill(intent, tool)
    if problem:
        return problem[0].upper() + problem[1:] + ", so I did not call it."
    done = turn.find_exactly(tool.name, arguments)
    return phrasing.answered(intent, done) if done else Step("", tool.name, arguments)


def _list(intent: Intent, turn: Turn, offered: set[str]) -> Step | str:
    if REGISTRY_LIST not in offered:
        return f"I can not look into the registry: `{REGISTRY_LIST}` is not among the tools that I was given."
    done = turn.find_exactly(REGISTRY_LIST, dict(intent.filter))
    return phrasing.listed(intent, done) if done else Step("", REGISTRY_LIST, dict(intent.filter))
