"""What a tool is needed for, how one is recognised, and which page documents the module for a new one.

A tool is recognised by the words of its name and description, never by one fixed name.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from runtime.llm.offline.intent import Intent, Kind

DOC_SEARCH = "doc_search"
CREATE_TOOL = "create_tool"
LOAD_TOOL = "load_tool"
REGISTRY_LIST = "registry_list"
MEANS = frozenset({DOC_SEARCH, CREATE_TOOL, LOAD_TOOL, REGISTRY_LIST, "registry_read"})
"""The tools with which tools are found and made; their descriptions speak of everything."""

_ALGORITHM = re.compile(r"(?:sha3?)?(?:224|256|384|512)|sha1|md5")


@dataclass(frozen=True, slots=True)
class Skill:
    """One kind of task: `aim` follows "a tool to", `tool` names a new one, `page` documents its module."""

    aim: str
    tool: str
    page: str
    query: str
    names: frozenset[str]
    described: re.Pattern[str]


SKILLS: dict[Kind, Skill] = {
    "time": Skill(
        "tell the time",
        "current_time",
        "lua/core/time",
        "time",
        frozenset({"time", "clock", "date", "datetime", "now", "today"}),
        re.compile(r"\b(?:current|local) (?:time|date)|\bwhat time\b|\bdate and time|\bclock\b", re.I),
    ),
    "hash": Skill(
        "hash a text",
        "hash_text",
        "lua/security/hash",
        "hash",
        frozenset({"hash", "hashes", "sha", "sha1", "sha256", "sha512", "md5", "digest", "checksum"}),
        re.compile(r"\bsha-?(?:1|256|384|512)\b|\bmd5\b|\bhash(?:es)? (?:of|a)\b|\bchecksum", re.I),
    ),
    "base64": Skill(
        "write a text in base64",
        "base64_text",
        "lua/data/base64",
        "base64",
        frozenset({"base64", "b64"}),
        re.compile(r"\bbase-?64\b", re.I),
    ),
    "uuid": Skill(
        "make UUIDs",
        "make_uuids",
        "lua/security/uuid",
        "uuid",
        frozenset({"uuid", "uuids", "guid", "guids"}),
        re.compile(r"\b(?:uuid|guid)s?\b|\buniversally unique", re.I),
    ),
}  # fmt: skip


def fitness(intent: Intent, name: str, description: str = "") -> int:
    """Return how well a tool fits: 0 when it does not, more where its name says it."""
    skill = SKILLS[intent.kind]
    if name in MEANS:
        return 0
    words = name_words(name)
    score = 2 * len(words & skill.names) + bool(skill.described.search(description))
    return score if score and not _contradicts(intent, words, description) else 0


def name_words(name: str) -> set[str]:
    """Return the words of a name: `makeUuids` and `make_uuids` have the same."""
    return set(re.findall(r"[a-z]+[0-9]*|[0-9]+", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()))


def skill_of_tool(name: str) -> Kind | None:
    """Return the kind of task that a tool of this very name was made for, if it is one of ours."""
    return next((kind for kind, skill in SKILLS.items() if skill.tool == name), None)


def _contradicts(intent: Intent, words: set[str], description: str) -> bool:
    """Whether the tool is made for another algorithm or for the other direction."""
    if intent.kind == "hash" and intent.algorithm:
        said = {word for word in words if _ALGORITHM.fullmatch(word)}
        return bool(said) and intent.algorithm not in said and intent.algorithm not in description.lower()
    if intent.kind == "base64":
        other = "decode" if intent.operation == "encode" else "encode"
        return other in words and intent.operation not in words
    return False
