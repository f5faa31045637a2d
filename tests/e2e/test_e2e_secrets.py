"""Canaries in the keys of providers and in what `env.get` hands out: nothing that is written, logged or sent
holds one, and no child has one in its environment, its arguments or its memory.
"""

from __future__ import annotations

import base64
import json
import os
import re
import sys
import threading
from contextlib import suppress
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

from e2e_parts import AGENT, application, assert_complete, edit_entries, name_documentation, payload, talk
from server_scripts import create, load, results, scripted

from runtime.testing.project import ProjectFolder
from runtime.testing.scripted_model import call, calls, say
from tests.services.loopback import Answer, serving

KEY = "canary-8d1c44e07b5f-key"
OTHERS = {"ANTHROPIC_API_KEY": "canary-51b0aa93-anthropic", "GEMINI_API_KEY": "canary-77e2c19d-gemini"}
TOKEN = "canary-6a1f08d2-token"
CANARIES = (KEY, *OTHERS.values(), TOKEN)

READS = """
local env = require("env")
local logger = require("logger")

local ways = {
  value = function(token) return { got = token } end,
  key = function(token) return { [token] = true } end,
  inside = function(token) return { text = "Bearer " .. token .. "!" } end,
  said = function(token) print("the token is " .. token) return { said = true } end,
  logged = function(token)
    logger:error("logged " .. token, { token = token, nested = { token } })
    return { logged = true }
  end,
  raised = function(token) error("it broke with " .. token) end,
  failed = function(token)
    return nil, errors.new({ kind = "Invalid", message = "no " .. token, details = { token = token } })
  end,
  base64 = function(token) return { packed = require("base64").encode(token) } end,
}

return { handler = function(input)
  local token, err = env.get(input.name or "TOKEN")
  if err then
    return nil, err
  end
  return ways[input.way](token)
end }
"""
WAYS = ["value", "key", "inside", "said", "logged", "raised", "failed", "base64"]


def with_reader(folder: Path) -> ProjectFolder:
    """Return the application with a tool of its own that reads a variable."""
    project = application(folder)
    project.put("src/reads.lua", READS)

    def change(entries: dict[str, dict[str, Any]]) -> None:
        entries["reads"] = {
            "name": "reads",
            "kind": "function.lua",
            "source": "file://reads.lua",
            "method": "handler",
            "modules": ["env", "logger", "base64"],
            "meta": {
                "type": "tool",
                "llm_alias": "reads",
                "llm_description": "Reads a variable.",
                "input_schema": {
                    "type": "object",
                    "properties": {"way": {"type": "string"}, "name": {"type": "string"}},
                },
            },
        }
        for variable in ("TOKEN", "OPENAI_API_KEY", *OTHERS):
            name = f"variable_{variable.lower()}"
            entries[name] = {
                "name": name, "kind": "env.variable", "storage": "app:os_env", "variable": variable,
            }  # fmt: skip
        entries["agent_reads"] = {
            "name": "agent_reads",
            "kind": "security.policy",
            "policy": {
                "actions": ["env.get", "funcs.call", "registry.get"],
                "resources": ["TOKEN", "OPENAI_API_KEY", *OTHERS, "app:reads"],
                "effect": "allow",
            },
        }
        entries["agent"]["meta"]["command"]["security"]["policies"].append("app:agent_reads")
        entries["dev_assistant"]["tools"].append("app:reads")

    edit_entries(project, change)
    return project


def held(text: str) -> list[str]:
    """Return the canaries that a text holds, as they are or packed."""
    forms = {canary: (canary, base64.b64encode(canary.encode()).decode().rstrip("=")) for canary in CANARIES}
    return [canary for canary, packed in forms.items() if any(form in text for form in packed)]


def test_what_env_get_hands_out_is_neither_written_nor_shown_nor_sent(tmp_path: Path) -> None:
    project = with_reader(tmp_path)
    wanted = [("reads", {"way": way}, f"call {way}") for way in WAYS]
    keys = [("reads", {"way": "value", "name": name}, f"call {name}") for name in ("OPENAI_API_KEY", *OTHERS)]
    with scripted([calls(*wanted, *keys), say("Done.")]) as model:
        environment = {"OPENAI_BASE_URL": model.base_url, "OPENAI_API_KEY": KEY, "TOKEN": TOKEN, **OTHERS}
        ended = talk(project, "read it\n", "--verbose", **environment)
    assert ended.code == 0, ended
    told = results(model.requests[-1].body)
    assert sorted(told) == sorted(f"call {each}" for each in (*WAYS, "OPENAI_API_KEY", *OTHERS))
    for name in ("OPENAI_API_KEY", *OTHERS):
        assert "only the host reads it" in json.dumps(told[f"call {name}"])
    assert "logged [redacted:secret]" in ended.stderr
    assert "the token is [redacted:secret]" in ended.stderr
    assert held(ended.stderr) == []
    # What an application writes to the terminal of its owner are its own words: here the error of a tool.
    own = [line for line in ended.stdout.splitlines() if line.startswith("[reads] error: ")]
    assert held("".join(line for line in ended.stdout.splitlines() if line not in own)) == []
    assert not any(key in ended.stdout for key in (KEY, *OTHERS.values()))
    for request in model.requests:
        assert held(json.dumps(request.body)) == []
        assert request.headers["authorization"] == f"Bearer {KEY}"
    for canary in CANARIES:
        assert project.holds(canary) == []
    for event in project.events():
        assert held(json.dumps(event.payload, default=str)) == []
    assert_complete(project)


FETCH = """
local http_client = require("http_client")
return { handler = function(input)
  local answer, err = http_client.get(input.url)
  return err and { error = tostring(err) } or { status = answer.status_code }
end }
"""


def descendants(pid: int) -> list[int]:
    """Return the processes below `pid`; a process that has ended meanwhile has none."""
    found: list[int] = []
    for task in Path(f"/proc/{pid}/task").glob("*"):
        with suppress(FileNotFoundError, ProcessLookupError):
            for child in map(int, (task / "children").read_text().split()):
                found += [child, *descendants(child)]
    return found


def exposed(pid: int) -> tuple[list[str], bool]:
    """Return the canaries in environment, arguments and memory of a process, and whether memory was seen."""
    found: list[str] = []
    place = Path(f"/proc/{pid}")
    for name in ("environ", "cmdline"):
        with suppress(PermissionError):
            found += [
                f"{name}: {each}" for each in held((place / name).read_bytes().decode(errors="replace"))
            ]
    seen = False
    with suppress(PermissionError), (place / "mem").open("rb", 0) as memory:
        for line in (place / "maps").read_text().splitlines():
            first, last, mode = re.match(r"(\w+)-(\w+) (\S+)", line).groups()  # type: ignore[union-attr]
            if mode.startswith("rw"):
                with suppress(OSError, ValueError):
                    memory.seek(int(first, 16))
                    data = memory.read(int(last, 16) - int(first, 16))
                    seen = seen or len(data) > 0
                    found += [f"memory: {each}" for each in CANARIES if each.encode() in data]
    return found, seen


def test_no_child_holds_a_secret_while_it_runs(tmp_path: Path) -> None:
    project = with_reader(tmp_path)
    runtime: list[int] = []
    looked: dict[int, tuple[list[str], bool]] = {}
    bodies: list[str] = []
    lock = threading.Lock()

    def look(request: BaseHTTPRequestHandler) -> Answer:
        with lock:
            bodies.append(f"{request.path} {request.headers}")
            for pid in descendants(runtime[0]):
                with suppress(FileNotFoundError, ProcessLookupError):
                    looked[pid] = exposed(pid)
        return 200, {}, b"seen"

    with serving(look) as port:
        name_documentation(project, f"http://127.0.0.1:{port}")
        url = f"http://127.0.0.1:{port}/path/en/a"
        script = [
            call("reads", {"way": "logged"}, "c0"),
            create("fetch", FETCH, ["http_client"], "c1"),
            load("fetch", "c2"),
            call("fetch", {"url": url}, "c3"),
            call("fetch", {"url": url}, "c4"),
            call("fetch", {"url": url}, "c5"),
            say("Fetched."),
        ]
        with scripted(script) as model:
            environment = {"OPENAI_BASE_URL": model.base_url, "OPENAI_API_KEY": KEY, "TOKEN": TOKEN, **OTHERS}
            with project.at_terminal(*AGENT, **environment) as child:
                runtime.append(child.pid)
                child.expect(r"> $")
                child.sendline("fetch it")
                child.expect(r"\[y/N\] $")
                child.sendline("y")
                child.expect("Fetched.")
                child.expect(r"> $")
                child.sendline("quit")
                child.expect("Bye!")
        found = results(model.requests[-1].body)
    assert [found[name] for name in ("c3", "c4", "c5")] == [{"status": 200}] * 3, found
    assert len(looked) >= 1, "there were children to look at"
    assert {pid: shown for pid, (shown, _) in looked.items() if shown} == {}
    if os.geteuid() == 0:
        assert any(seen for _, seen in looked.values()), "their memory was read"
    assert held("".join(bodies)) == []
    assert held(json.dumps([payload(event) for event in project.events("tool.responded")])) == []


def test_this_test_would_see_a_secret() -> None:
    """A process that has a canary is found out: what the tests above do not find is not there."""
    import subprocess

    code = f"held = {TOKEN!r} * 1; print('ready', flush=True); input()"
    with subprocess.Popen(
        [sys.executable, "-c", code, OTHERS["GEMINI_API_KEY"]],
        env={"OPENAI_API_KEY": KEY},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        found, seen = exposed(process.pid)
        process.kill()
    assert {f"environ: {KEY}", f"cmdline: {OTHERS['GEMINI_API_KEY']}", f"cmdline: {TOKEN}"} <= set(found)
    assert not seen or f"memory: {TOKEN}" in found
