"""The sentences of the rehearsal; every fact in them is taken from the result of a tool."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from runtime.llm.endpoint import BASE_URL, KEY
from runtime.llm.offline.conversation import Done
from runtime.llm.offline.intent import Intent
from runtime.llm.offline.skills import SKILLS

MAX_SHOWN = 12  # entries of a list
MAX_FIELD = 400  # characters of one value

_UUID = re.compile(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b", re.IGNORECASE)
_DATE = re.compile(r"\b\d{4}-\d{2}-\d{2}(?!\d)")
_HEX = re.compile(r"\b[0-9a-f]{32,128}\b", re.IGNORECASE)

HELP = (
    "I am the scripted rehearsal of this runtime, not a language model, so I can not answer that. "
    "I can rehearse how an agent gets itself a tool: ask for the time (or in a city), the SHA-256 of a text, "
    "base64, UUIDs, what the registry holds, or tell me to overwrite my prompt. "
    f"For a real model set {KEY}, or {BASE_URL} to a server of your own, and start again."
)
TOO_LONG = "I am a scripted rehearsal and read questions of at most {limit} characters; this one is longer."
NO_PLACE = "I know no time zone for `{place}`: name a zone such as Europe/Madrid or a larger city."


def answered(intent: Intent, done: Done) -> str:
    """Return the sentence for the result of the tool that was called for `intent`."""
    if done.error:
        return f"The tool `{done.name}` failed: {_ended(done.error)}"
    texts = list(_texts(done.result))
    sentence = {"time": _time, "hash": _hash, "base64": _base64, "uuid": _uuids}[intent.kind](
        intent, done, texts
    )
    return sentence or f"The tool `{done.name}` returned {_shown(done.result)}."


def listed(intent: Intent, done: Done) -> str:
    """Return the sentence for a listing of the registry."""
    if done.error:
        return f"The registry could not be read: {_ended(done.error)}"
    entries: Any = done.field("entries")
    ids = (
        [str(entry.get("id")) for entry in entries if isinstance(entry, dict)]
        if isinstance(entries, list)
        else []
    )
    count = done.field("count")
    count = count if isinstance(count, int) else len(ids)
    where = "".join(f" of {name} `{value}`" for name, value in intent.filter.items() if name != "type")
    if not count:
        return f"The registry shows me no {intent.label}{where}."
    label = {"entries": "entry", "policies": "policy", "libraries": "library", "processes": "process"}
    noun = intent.label if count != 1 else label.get(intent.label, intent.label.removesuffix("s"))
    more = f" and {count - MAX_SHOWN} more" if count > MAX_SHOWN else ""
    return f"The registry shows me {count} {noun}{where}: {', '.join(ids[:MAX_SHOWN])}{more}."


def refused(what: str, error: str) -> str:
    """Return the sentence for a change that was not made: denied, without consent, or failed."""
    words = error.lower()
    if re.search(r"\bdenied\b|\bnot allowed\b|\bdeny\b", words):
        how = "was denied"
    elif re.search(r"\bconsent\b|\bowner\b|\bapprov|\bdeclin|\brefus|\brejected\b|\bwaits?\b", words):
        how = "was not consented to, so I leave it at that"
    else:
        how = "failed"
    return f"{what} {how}: {_ended(error)}"


def lacking(aim: str, missing: list[str]) -> str:
    """Return the sentence for tools that are not among those given."""
    names = ", ".join(f"`{name}`" for name in missing)
    verb = "is" if len(missing) == 1 else "are"
    return (
        f"I have no tool to {aim} and can not make one: {names} {verb} not among the tools that I was given."
    )


def _time(intent: Intent, done: Done, texts: list[str]) -> str:
    dated = [text for text in texts if _DATE.search(text)]
    if not dated:
        return ""
    moment = max(dated, key=lambda text: (bool(re.search(r"\d{1,2}:\d{2}", text)), -len(text)))
    if not re.search(r"\d{1,2}:\d{2}", moment):
        clock = next((text for text in texts if re.match(r"\d{1,2}:\d{2}", text)), "")
        moment = f"{moment} {clock}".strip()
    zone = next((str(done.field(n)) for n in ("zone", "timezone", "tz", "location") if done.field(n)), "")
    where = f" in {intent.place}" if intent.place and intent.zone else ""
    return f"It is {moment}{where}{f' ({zone})' if zone and zone not in moment else ''}."


def _hash(intent: Intent, done: Done, texts: list[str]) -> str:
    found = next((match.group() for text in texts if (match := _HEX.fullmatch(text.strip()))), None)
    if not found:
        return ""
    said = done.field("algorithm")
    name = said if isinstance(said, str) and said else intent.algorithm or "hash"
    return f"The {_title(name)} of `{intent.text}` is {found}."


def _base64(intent: Intent, done: Done, texts: list[str]) -> str:
    names = ("encoded", "decoded", "result", "output", "base64", "text", "value")
    fields = [done.field(name) for name in names]
    found = [value for value in fields if isinstance(value, str) and value != intent.text]
    found = found or [text for text in texts if text not in (intent.text, intent.operation)]
    if not found:
        return ""
    if intent.operation == "decode":
        return f"`{intent.text}` is base64 for `{found[0]}`."
    return f"`{intent.text}` in base64 is `{found[0]}`."


def _uuids(_intent: Intent, done: Done, texts: list[str]) -> str:
    found = [match for text in texts for match in _UUID.findall(text)]
    if not found:
        return ""
    if len(found) == 1:
        return f"The tool `{done.name}` made one UUID: {found[0]}."
    return f"The tool `{done.name}` made {len(found)} UUIDs: {', '.join(found)}."


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from _texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)


def _shown(value: Any) -> str:
    if isinstance(value, dict) and value:
        return ", ".join(f"{key} {_shown(item)}" for key, item in value.items())
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= MAX_FIELD else text[:MAX_FIELD] + "..."


def _title(algorithm: str) -> str:
    return re.sub(r"^SHA(?=\d)", "SHA-", algorithm.upper()) if algorithm != "hash" else algorithm


def _ended(text: str) -> str:
    return text if text.rstrip().endswith((".", "!", "?")) else text.rstrip() + "."


def aim(intent: Intent) -> str:
    """Return what the tool for `intent` is for, to follow "a tool to"."""
    return SKILLS[intent.kind].aim
