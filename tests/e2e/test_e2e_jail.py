"""Code born at run time runs in a child of its own or not at all, and reaches no more than its caller may."""

from __future__ import annotations

import sys
import sysconfig
from pathlib import Path
from typing import Any

from e2e_parts import (
    AGENT,
    DIGEST,
    HASH,
    application,
    assert_complete,
    assert_works,
    denials,
    pages,
    payload,
    talk,
    written,
)
from server_scripts import HASH_SOURCE, create, load, results, scripted

from runtime.testing.scripted_model import call, calls, say


def test_if_no_child_can_start_the_call_fails(tmp_path: Path) -> None:
    project = application(tmp_path)
    assert talk(project, f"{HASH}\n", "--yes").code == 0
    python = tmp_path / "python"  # the interpreter of the run, and so of its children: then it is gone
    python.symlink_to(sys.executable)
    packages = f"{project.environment()['PYTHONPATH']}:{sysconfig.get_path('purelib')}"
    with project.start(*AGENT, "--yes", python=str(python), PYTHONPATH=packages) as process:
        assert process.stdin is not None
        assert process.stderr is not None
        assert process.stdout is not None
        assert process.stderr.readline().startswith("offline: ")
        python.unlink()
        process.stdin.write(f"{HASH}\n")
        process.stdin.close()
        said = process.stdout.read()
        assert process.wait(30) == 0
    assert "[hash_text] error: no jailed child can start: " in said
    assert DIGEST not in said
    failed = payload(project.events("tool.failed")[-1])
    assert failed["error"]["kind"] == "Unavailable"
    assert_complete(project)
    assert_works(project)


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "a long name": ({"name": "n" * 65}, "`name` has 65 characters; at most 64 are allowed"),
    "a name of other signs": ({"name": "a b"}, "`name` must be of letters"),
    "a long source": ({"source": "-" * 16_001}, "`source` has 16001 characters; at most 16000 are allowed"),
    "a module of the host": ({"modules": ["process"]}, "module `process` is not allowed in a tool"),
    "source that does not compile": ({"source": "return return"}, "nothing was written: "),
    "an input that is no object": ({"input_schema": {"type": "array"}}, "input_schema: "),
    "no description": ({"description": " "}, "`description` is required"),
}


def test_what_is_no_tool_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    project = application(tmp_path)
    wanted = [
        ("create_tool", {"name": "t", "description": "A tool.", "source": HASH_SOURCE, **given}, f"c{at}")
        for at, (given, _) in enumerate(REFUSED.values())
    ]
    with scripted([calls(*wanted), say("None of them.")]) as model:
        ended = talk(project, "go\n", "--yes", OPENAI_BASE_URL=model.base_url)
    assert ended.code == 0
    found = results(model.requests[-1].body)
    for at, (case, (_, said)) in enumerate(REFUSED.items()):
        assert said in found[f"c{at}"]["error"], case
    assert written(project) == []
    assert_complete(project)


ESCAPES = {
    "undeclared": 'return { handler = function() return { got = require("http_client").get("x") } end }',
    "files": 'return { handler = function() return { got = io.open("/etc/passwd"):read() } end }',
    "programs": 'return { handler = function() return { got = os.execute("id") } end }',
    "loading": 'return { handler = function() return { got = load("return 1")() } end }',
}


def test_a_generated_tool_has_no_way_out(tmp_path: Path) -> None:
    project = application(tmp_path)
    script: list[Any] = []
    for name, source in ESCAPES.items():
        script += [create(name, source, [], f"create {name}"), load(name, f"load {name}")]
        script += [call(name, {}, f"call {name}")]
    with scripted([*script, say("No way out.")]) as model:
        ended = talk(project, "go\n", "--yes", OPENAI_BASE_URL=model.base_url)
    assert ended.code == 0
    found = results(model.requests[-1].body)
    for name in ESCAPES:
        outcome = found.get(f"call {name}", {})
        assert "error" in outcome, name
        assert "got" not in outcome, name
    assert_complete(project)


def test_the_network_of_a_tool_that_was_agreed_to_is_that_of_its_caller(tmp_path: Path) -> None:
    project = application(tmp_path)
    with pages({"a": "SECRET PAGE"}) as base:
        fetch = f"""
local http_client = require("http_client")
return {{ handler = function()
  local page, err = http_client.get("{base}/path/en/a")
  local own, own_err = http_client.get("https://runtime.internal/path/en/lua/core/time")
  return {{ error = tostring(err), page = page, own = own and own.status_code, own_error = own_err }}
end }}
"""
        script = [
            create("fetch", fetch, ["http_client"], "c1"),
            load("fetch", "c2"),
            call("fetch", {}, "c3"),
            say("It may not."),
        ]
        with (
            scripted(script) as model,
            project.at_terminal(*AGENT, OPENAI_BASE_URL=model.base_url) as child,
        ):
            child.expect(r"> $")
            child.sendline("fetch it")
            child.expect("modules: http_client")
            child.expect(r"\[y/N\] $")
            child.sendline("y")
            child.expect("It may not.")
            child.expect(r"> $")
            child.sendline("quit")
            child.expect("Bye!")
    found = results(model.requests[-1].body)["c3"]
    assert found["error"].startswith(f"not allowed: http_client.request on `{base}/path/en/a`")
    assert (found["own"], found.get("page")) == (200, None)
    assert ("http_client.request", f"{base}/path/en/a") in denials(project)
    assert_complete(project)
