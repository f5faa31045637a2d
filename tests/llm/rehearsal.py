"""A world for the scripted model: the agent's loop over the real driver, and tools that keep their contracts.

The pages are those of the Lua modules. A generated tool answers from a function by its name, since what is
tested here is what the model does with results and not the results.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

from runtime.llm.offline.driver import OfflineDriver
from runtime.llm.request import Answer, Message, Request, Tool

MODULES = Path(__file__).parents[2] / "runtime" / "lua" / "modules"
PAGES = {
    "lua/core/time": "time",
    "lua/security/hash": "hash",
    "lua/data/base64": "base64",
    "lua/security/uuid": "uuid",
}
Result = dict[str, Any]


def _base64(given: Result) -> Result:
    text = given["text"].encode()
    decoded = given.get("mode") == "decode"
    return {"result": (base64.b64decode(text) if decoded else base64.b64encode(text)).decode()}


GENERATED: dict[str, Callable[[Result], Result]] = {
    "current_time": lambda given: {
        "time": "2031-05-04T03:02:01Z",
        "zone": given.get("zone", "UTC"),
        "date": "2031-05-04",
    },
    "hash_text": lambda given: {
        "algorithm": given.get("algorithm", "sha256"),
        "hex": hashlib.new(given.get("algorithm", "sha256"), given["text"].encode()).hexdigest(),
    },
    "base64_text": _base64,
    "make_uuids": lambda given: {"uuids": [str(uuid.UUID(int=n)) for n in range(given.get("count", 1))]},
}


class World:
    """The tools at hand, the registry behind them, and the conversation."""

    def __init__(self) -> None:
        self.pages = {path: (MODULES / name / "spec.md").read_text("utf-8") for path, name in PAGES.items()}
        self.entries: dict[str, Tool] = {}
        self.tools: dict[str, Tool] = {}
        self.refusal = ""
        """What create_tool answers instead of creating."""
        self.log: list[tuple[str, Result]] = []
        self.messages: list[Message] = []
        self.answers: list[Answer] = []
        for name in ("doc_search", "registry_list", "registry_read", "create_tool", "load_tool"):
            schema = {"type": "object", "properties": {}}
            self.tools[name] = Tool(
                name, "Reads lua/core/time, hashes and clocks", schema, f"app.tools:{name}"
            )

    def ask(self, text: str) -> str:
        """Run one turn to its end and return the final text."""
        self.log.clear()
        self.messages.append(said("user", text))
        for _ in range(20):
            answer = self.step()
            if answer.text:
                self.messages.append(said("assistant", answer.text))
            if not answer.tool_calls:
                return answer.text
            for call in answer.tool_calls:
                result = self.call(call.name, call.arguments)
                record: Any = {"id": call.id, "name": call.name, "arguments": call.arguments}
                self.messages.append({"role": "function_call", "content": [], "function_call": record})
                done = said("function_result", json.dumps(result))
                self.messages.append({**done, "name": call.name, "function_call_id": call.id})
        raise AssertionError(f"the turn does not end: {self.log}")

    def step(self) -> Answer:
        """Ask the driver once; what it streams must be what it answers."""
        came: list[str] = []
        request = Request("app:gpt", "scripted", list(self.messages), list(self.tools.values()))
        answer = asyncio.run(OfflineDriver().generate(request, came.append))
        assert "".join(came) == answer.text
        self.answers.append(answer)
        return answer

    def first_calls(self, text: str) -> list[tuple[str, Result]]:
        """Return the calls of the first step after `text`, which are not run."""
        self.messages.append(said("user", text))
        return [(call.name, call.arguments) for call in self.step().tool_calls]

    def called(self) -> list[str]:
        """Return the names of the tools that were called in the last turn."""
        return [name for name, _ in self.log]

    def call(self, name: str, given: Result) -> Result:
        """Run one tool."""
        self.log.append((name, given))
        if name not in self.tools:
            return {"error": f"there is no tool `{name}`"}
        contract = getattr(self, f"_{name}", None)
        return contract(given) if contract else GENERATED[name](given)

    def _doc_search(self, given: Result) -> Result:
        if "path" not in given:
            found = [path for path in self.pages if given["query"] in path]
            return {"results": "".join(f"- {path}: A page.\n" for path in found)}
        page = self.pages.get(given["path"])
        return {"path": given["path"], "content": page[:8000]} if page else {"error": "HTTP 404"}

    def _registry_list(self, given: Result) -> Result:
        rows = [
            {"id": tool.registry_id, "kind": "function.lua", "title": tool.name}
            for tool in self.tools.values()
        ]
        rows += [{"id": entry_id, "kind": "function.lua", "title": ""} for entry_id in self.entries]
        if given.get("type") == "agent.gen1":
            rows = [{"id": "app:dev_assistant", "kind": "registry.entry", "title": "Dev assistant"}]
        elif given.get("type") == "llm.model":
            rows = []
        return {"count": len(rows), "entries": rows}

    def _create_tool(self, given: Result) -> Result:
        entry_id = given["name"] if ":" in given["name"] else f"app.generated:{given['name']}"
        if not entry_id.startswith("app.generated:"):
            return {"error": f"policy denied: update on {entry_id}"}
        if self.refusal:
            return {"error": self.refusal}
        name = entry_id.partition(":")[2]
        verb = "updated" if entry_id in self.entries else "created"
        self.entries[entry_id] = Tool(name, given["description"], given.get("input_schema", {}), entry_id)
        return {"id": entry_id, verb: True}

    def _load_tool(self, given: Result) -> Result:
        tool = self.entries.get(given["id"])
        if tool is None:
            return {"error": f"entry not found: {given['id']}"}
        self.tools[tool.name] = tool
        return {"loaded": True, "id": tool.registry_id, "alias": tool.name, "description": tool.description}


def said(role: str, text: str) -> Message:
    """Return a message of text."""
    return {"role": role, "content": [{"type": "text", "text": text}]}
