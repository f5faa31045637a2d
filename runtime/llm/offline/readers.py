"""How each thing is asked for in words: one reader for each kind, which gives the intent or nothing.

An intent knows where its words begin, so that of two that could be meant the first one is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence

from runtime.llm.offline.intent import Intent
from runtime.llm.offline.texts import subject
from runtime.llm.offline.zones import find_zone

_ALGORITHM = r"(?:sha3?[-_ ]?(?:224|256|384|512|1)(?![0-9])|md5|blake2[bs]|crc32)"
_NUMBERS = {
    "a": 1,
    "an": 1,
    "another": 1,
    "one": 1,
    "two": 2,
    "couple": 2,
    "pair": 2,
    "three": 3,
    "few": 3,
    "some": 3,
    "several": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "nine": 9,
    "ten": 10,
    "eleven": 11,
    "twelve": 12,
    "dozen": 12,
}
_LISTED = {
    "tool": ({"type": "tool"}, "tools"),
    "model": ({"type": "llm.model"}, "models"),
    "agent": ({"type": "agent.gen1"}, "agents"),
    "provider": ({"type": "llm.provider"}, "providers"),
    "policie": ({"kind": "security.policy"}, "policies"),
    "policy": ({"kind": "security.policy"}, "policies"),
    "function": ({"kind": "function.lua"}, "functions"),
    "processe": ({"kind": "process.lua"}, "processes"),
    "process": ({"kind": "process.lua"}, "processes"),
    "librarie": ({"kind": "library.lua"}, "libraries"),
    "library": ({"kind": "library.lua"}, "libraries"),
}


def read_intent(text: str, tool_names: Collection[str]) -> Intent:
    """Return the intent whose words come first, `other` where there is none."""
    found = [_replace(text, tool_names), *(reader(text) for reader in _READERS)]
    known = [intent for intent in found if intent is not None]
    return min(known, key=lambda intent: intent.at, default=Intent("other"))


def _hash(text: str) -> Intent | None:
    by_name = re.search(
        rf"\b(?P<a>{_ALGORITHM})(?:[ -](?:hash|digest|checksum|sum))?(?:\s*:|\s+(?:of|for))?\s+(?P<t>\S.*)",
        text,
        re.IGNORECASE | re.DOTALL,
    )
    if by_name:
        return Intent("hash", subject(by_name["t"]), algorithm=_algorithm(by_name["a"]), at=by_name.start())
    plain = re.search(
        r"\b(?:hash|digest|checksum)(?:\s+(?:of|for)|\s*:)?\s+(?P<t>\S.*)", text, re.IGNORECASE | re.DOTALL
    )
    if not plain:
        return None
    said, algorithm = plain["t"], ""
    if named := re.search(rf"\s+(?:with|using|in|by|as)\s+(?P<a>{_ALGORITHM})\W*$", said, re.IGNORECASE):
        said, algorithm = said[: named.start()], _algorithm(named["a"])
    return Intent("hash", subject(said), algorithm=algorithm, at=plain.start())


def _base64(text: str) -> Intent | None:
    if not re.search(r"\bbase[- ]?64\b", text, re.IGNORECASE):
        return None
    for operation, pattern in _BASE64_FORMS:
        match = re.search(pattern, text, re.IGNORECASE | re.DOTALL)
        if match and subject(match["t"]):
            return Intent("base64", subject(match["t"]), operation=operation, at=match.start())
    return None


_B = r"base[- ]?64"
_BASE64_FORMS = (
    ("decode", rf"\b{_B}[- ]?decod(?:e|ing)\s+(?:of\s+|for\s+)?(?P<t>\S.*)"),
    ("decode", rf"\bdecode\s+(?:(?:the|this)\s+)?{_B}(?:\s+(?:text|string|of))?\s*:?\s+(?P<t>\S.*)"),
    ("decode", rf"\bwhat\s+(?:does|is)\s+(?P<t>\S.*?)\s+decoded?\s+(?:(?:to|from)\s+)?(?:in\s+)?{_B}\W*$"),
    ("decode", rf"\bdecode\s+(?P<t>\S.*?)(?:\s+(?:from|in|as|using|with)\s+{_B})\W*$"),
    ("decode", rf"\b(?:convert|turn|translate)\s+(?P<t>\S.*?)\s+(?:back\s+)?from\s+{_B}\W*$"),
    ("encode", rf"\bencode\s+(?P<t>\S.*?)\s+(?:in|as|to|into|with|using)\s+{_B}\W*$"),
    ("encode", rf"\b{_B}[- ]?encod(?:e|ed|ing)\s+(?:of\s+|for\s+)?(?P<t>\S.*)"),
    ("encode", rf"\b{_B}(?:\s+(?:of|for)|\s*:)\s+(?P<t>\S.*)"),
    ("encode", rf"\b(?:what(?:'s| is)|convert|turn|put|write)\s+(?P<t>\S.*?)\s+(?:in|as|to|into)\s+{_B}\W*$"),
    ("encode", rf"\b{_B}\s+(?P<t>\S.*)"),
)  # fmt: skip


def _uuid(text: str) -> Intent | None:
    match = re.search(r"\b(?P<w>uuid|guid)(?P<s>e?s)?\b", text, re.IGNORECASE)
    if not match:
        return None
    before, after = text[: match.start()], text[match.end() :]
    version = re.search(r"\b(?:v|version\s*)([1-8])\b", text, re.IGNORECASE)
    if behind := re.match(r"\s*[x\u00d7:]\s*(\d+)", after):
        count = int(behind[1])
    else:
        words = re.findall(r"[a-z]+|\b\d+\b", re.sub(r"\b(?:v|version\s*)\d\b", "", before.lower()))
        numbers = [
            int(w) if w.isdigit() else _NUMBERS[w.lower()]
            for w in words
            if w.isdigit() or w.lower() in _NUMBERS
        ]
        count = numbers[-1] if numbers else 3 if match["s"] else 1
    return Intent("uuid", count=count, version=version[1] if version else "", at=match.start())


_TIME_FORMS = re.compile(
    r"\bwhat(?:'s|\s+is)?\s+(?:the\s+|today'?s\s+)?(?:current\s+|local\s+|exact\s+)?(?:time|date|day)\b"
    r"|\b(?:current|local|exact)\s+(?:time|date)\b"
    r"|\b(?:time|date)\s+(?:is\s+it\b|now\b|today\b|in\s+[A-Z])"
    r"|\b(?:tell|give|show)\b[^?.!]*\b(?:time|date)\b"
    r"|\btoday'?s\s+date\b|\bwhich\s+day\b|\bhow\s+late\b"
    r"|^\s*(?:the\s+)?(?:time|date)\s*(?:please)?\s*[?!.]*\s*$",
    re.IGNORECASE,
)
_NOT_TIME = re.compile(r"\s+(?:complexity|limit|out|zones?\s+database|module|tool)\b", re.IGNORECASE)


def _time(text: str) -> Intent | None:
    match = _TIME_FORMS.search(text)
    if not match or _NOT_TIME.match(text, match.end()):
        return None
    said = re.search(r"\b(?:in|at|for)\s+(?P<p>\S.*)", text[match.start() :], re.IGNORECASE)
    place = (
        re.sub(r"[\s,]*(?:right\s+now|now|today|currently|please)$", "", subject(said["p"])) if said else ""
    )
    if not place and (named := re.search(r"\b(?:UTC|GMT)\b|\b[A-Z][a-z]+/[A-Z]\w+", text)):
        place = named.group()
    return Intent("time", place=place, zone=find_zone(place) if place else None, at=match.start())


def _registry(text: str) -> Intent | None:
    asks = re.search(r"\b(?:what|which|list|show|is there|are there|tell|how many)\b", text, re.IGNORECASE)
    if not asks:
        return None
    kind = re.search(r"\bkind\s+`?([a-z][a-z0-9_.*]*\w)", text)
    space = re.search(r"\b(?:namespace|in|under|inside)\s+`?([a-z_]\w*(?:\.\w+)+|(?<=namespace )\w+)\b", text)
    bare = re.sub(r"[\w*]+(?:[.:][\w*]+)+", " ", text[asks.end() :])  # no words from inside ids and kinds
    noun = re.search(rf"\b({'|'.join(sorted(_LISTED, key=len, reverse=True))})s?\b", bare, re.IGNORECASE)
    named = re.search(r"\bregistry\b(?!_)", text, re.IGNORECASE)
    if not (named or noun or kind or space):
        return None
    chosen, label = _LISTED[noun[1].lower()] if noun else ({}, "entries")
    wanted = {**chosen, **({"kind": kind[1]} if kind else {}), **({"namespace": space[1]} if space else {})}
    return Intent("registry", filter=wanted, label=label, at=asks.start())


def _replace(text: str, tool_names: Collection[str]) -> Intent | None:
    verb = re.search(
        r"\b(?P<d>delete|remove|drop)\b|\b(?:overwrite|replace|rewrite|change|modify|update|edit|alter|redefine|patch|override)\b",
        text,
        re.IGNORECASE,
    )  # fmt: skip
    if not verb:
        return None
    target = _target(text[verb.end() :], tool_names)
    return Intent("delete" if verb["d"] else "replace", target=target, at=verb.start()) if target else None


def _target(text: str, tool_names: Collection[str]) -> str:
    if named := re.search(r"\b[a-z]\w*(?:\.\w+)*:[\w.\-]*\w", text):
        return str(named.group())
    for word in re.findall(r"[\w\-]+", text):
        if word in tool_names or re.fullmatch(r"[a-z]+(?:_[a-z0-9]+)+", word):
            return str(word)
    own = re.search(
        r"\b(?:your|own|system)\b.*\b(?:prompt|instructions?|definition|rules?|agent)\b", text, re.I
    )
    return "prompt" if own or re.search(r"\byourself\b", text, re.I) else ""


def _algorithm(said: str) -> str:
    return re.sub(r"[-_ ]", "", said.lower())


_READERS: Sequence[Callable[[str], Intent | None]] = (_hash, _base64, _uuid, _time, _registry)
