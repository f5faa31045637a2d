"""What the scripted server says in the end-to-end tests: the loop of a real model, turn by turn."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from runtime.testing.scripted_model import ScriptedModel, Turn, call, refuse, say

Said: TypeAlias = "Turn | Callable[[dict[str, Any]], Turn]"

TIME_SOURCE = """\
local time = require("time")

local function handler()
  local now = time.now():utc()
  return { time = now:format(time.RFC3339), date = now:format(time.DATE_ONLY) }
end

return { handler = handler }
"""

HASH_SOURCE = """\
local hash = require("hash")

local function handler(input)
  return { hex = hash.sha256(input.text) }
end

return { handler = handler }
"""

SPIN_SOURCE = """\
local time = require("time")

local function handler()
  print("spinning")
  time.sleep("1ms") -- what was printed goes out here
  while true do end
end

return { handler = handler }
"""

FETCH_SOURCE = """\
local http_client = require("http_client")
return { handler = function() return { status = http_client.get("http://127.0.0.1/").status_code } end }
"""


def scripted(script: Sequence[Said]) -> ScriptedModel:
    """Return a server that says `script`, one item a request; a function is given the request's body."""
    left = iter(script)

    def answer(body: dict[str, Any]) -> Turn:
        said = next(left, None)
        if said is None:
            return refuse(400, "the script has no turn more")
        return said(body) if callable(said) else said

    return ScriptedModel(answer)


def create(name: str, source: str, modules: Sequence[str] = (), call_id: str = "create", **more: Any) -> Turn:
    """Return the turn that writes a tool; `more` are further arguments of create_tool."""
    given = {"name": name, "description": f"The tool {name}.", "source": source, "modules": list(modules)}
    return call("create_tool", {**given, **more}, call_id)


def load(name: str, call_id: str = "load") -> Turn:
    """Return the turn that loads the tool `name` of app.generated."""
    return call("load_tool", {"id": f"app.generated:{name}"}, call_id)


def read(page: str, call_id: str = "read") -> Turn:
    """Return the turn that reads a page of the documentation."""
    return call("doc_search", {"path": page}, call_id)


def results(body: dict[str, Any]) -> dict[str, Any]:
    """Return the result of each call in a request by its id."""
    tools = [message for message in body["messages"] if message["role"] == "tool"]
    return {message["tool_call_id"]: json.loads(message["content"]) for message in tools}


def two_questions() -> list[Said]:
    """Return the script for the two questions: each gets itself a tool and says what that returned."""
    text = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
    return [
        read("lua/core/time", "t1"),
        create("current_time", TIME_SOURCE, ["time"], "t2"),
        load("current_time", "t3"),
        call("current_time", {}, "t4"),
        lambda body: say("It is ", f"{results(body)['t4']['time']}."),
        read("lua/security/hash", "h1"),
        create("hash_text", HASH_SOURCE, ["hash"], "h2", input_schema=text),
        load("hash_text", "h3"),
        call("hash_text", {"text": "hello"}, "h4"),
        lambda body: say("The SHA-256 is ", f"{results(body)['h4']['hex']}."),
    ]
