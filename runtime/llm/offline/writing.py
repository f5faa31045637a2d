"""A tool is written from the documentation page that was read: its source, modules and schema stand there.

The section `## A tool` of a page holds a complete Lua block that returns `{ handler = ... }`, a line
`Modules:` and a JSON schema. A page that has none, or was cut before its end, gives no tool, and says so.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any

from runtime.core.values import Value

MAX_DESCRIPTION = 400

_HEADING = re.compile(r"##\s+A tool\b", re.IGNORECASE)
_FENCE = re.compile(r"\s*(`{3,}|~{3,})\s*([\w+-]*)\s*$")
_MODULES = re.compile(r"\s*[-*]?\s*\**Modules\**\s*:\**\s*(.*)", re.IGNORECASE)
_HANDLER = re.compile(r"\breturn\s*\{\s*handler\b")
_REQUIRE = re.compile(r"\brequire\s*\(?\s*[\"']([a-z0-9_]+)[\"']")


@dataclass(frozen=True, slots=True)
class Draft:
    """What create_tool needs, but the name; `schema` is None where the page has none."""

    source: str
    modules: list[str]
    schema: dict[str, Value] | None
    description: str

    def arguments(self, name: str) -> dict[str, Value]:
        """Return the arguments for create_tool."""
        arguments: dict[str, Value] = {
            "name": name,
            "description": self.description,
            "source": self.source,
            "modules": list(self.modules),
        }
        if self.schema is not None:
            arguments["input_schema"] = self.schema
        return arguments


@dataclass(slots=True)
class _Section:
    blocks: list[tuple[str, str]] = field(default_factory=list)
    prose: list[str] = field(default_factory=list)


def draft(page: str, fallback_description: str) -> Draft | str:
    """Return the tool that `page` (Markdown) describes, or why there is none, to follow "the page ..."."""
    section = _section(page)
    if section is None:
        return "has no section `A tool`"
    sources = [text for language, text in section.blocks if language == "lua" and _HANDLER.search(text)]
    if not sources:
        return "holds no complete Lua block that returns a handler"
    source = sources[0]
    return Draft(
        source, _modules(section, source), _schema(section), _description(section, fallback_description)
    )


def _section(page: str) -> _Section | None:
    """Return blocks and prose below the heading, to the next one; a block without an end is left out."""
    section: _Section | None = None
    fence, language, lines = "", "", list[str]()
    for line in page.splitlines():
        mark = _FENCE.match(line)
        if fence:
            if mark and mark[1].startswith(fence) and not mark[2]:
                if section:
                    section.blocks.append((language, "\n".join(lines) + "\n"))
                fence = ""
            else:
                lines.append(line)
        elif mark:
            fence, language, lines = mark[1], mark[2].lower(), []
        elif re.match(r"##?\s", line):
            if section:
                break
            section = _Section() if _HEADING.match(line) else None
        elif section:
            section.prose.append(line)
    return section


def _modules(section: _Section, source: str) -> list[str]:
    """Return the modules that the page names, else those that the source requires."""
    for line in section.prose:
        if match := _MODULES.match(line):
            return [word for word in re.findall(r"[a-z][a-z0-9_]*", match[1]) if word not in ("none", "and")]
    return list(dict.fromkeys(_REQUIRE.findall(source)))


def _schema(section: _Section) -> dict[str, Value] | None:
    for language, text in section.blocks:
        if language == "json":
            try:
                value: Any = json.loads(text)
            except (ValueError, RecursionError):
                continue
            if isinstance(value, dict):
                return value
    return None


def _description(section: _Section, fallback: str) -> str:
    """Return the first paragraph of the section, on one line."""
    text = "\n".join(line for line in section.prose if not _MODULES.match(line))
    for paragraph in re.split(r"\n\s*\n", text):
        words = " ".join(paragraph.replace("`", "").split())
        if words and words[0] not in "#-*|":
            return words[:MAX_DESCRIPTION]
    return fallback
