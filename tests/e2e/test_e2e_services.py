"""Real runs with services: order, restarts, signals, edits; nothing that was accepted is lost."""

from __future__ import annotations

import re
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from e2e_parts import payload

from runtime.testing.project import DEADLINE, ProjectFolder

pytestmark = pytest.mark.timeout(40)

INDEX = "src/_index.yaml"
HEAD = """namespace: app
entries:
  - {name: terminal, kind: terminal.host}
  - {name: host, kind: process.host}
  - name: may
    kind: security.policy
    policy: {actions: ["process.*", "system.*"], resources: "*", effect: allow}
"""
SAID = re.compile(r'(?:^|[ \t"=])<(.*?)>', re.MULTILINE)

LISTENS = """
return { main = function(name)
  print("<" .. name .. " is there>")
  local event = process.events():receive()
  print("<" .. name .. " hears " .. event.reason .. ">")
end }
"""


def service(name: str, source: str, lifecycle: str = "", more: str = "") -> str:
    """Return the entries of a service that starts by itself, and of its process, which gets its name."""
    body = "\n".join(f"      {line}" for line in source.strip().splitlines())
    return f"""
  - name: {name}.process
    kind: process.lua
    method: main
    modules: [time, system]
    source: |
{body}
  - name: {name}
    kind: process.service
    process: app:{name}.process
    host: app:host
    input: [{name}]
    lifecycle: {{auto_start: true, {lifecycle}}}
"""


def command(source: str) -> str:
    """Return the entry of the command `go`."""
    body = "\n".join(f"      {line}" for line in source.strip().splitlines())
    return f"""
  - name: go
    kind: process.lua
    method: main
    meta: {{command: {{name: go, security: {{actor: {{id: app:go}}, policies: [may]}}}}}}
    modules: [io, time]
    source: |
{body}
"""


def project(folder: Path, *entries: str) -> ProjectFolder:
    files = {".wippy.yaml": 'version: "1.0"\n', INDEX: HEAD + "".join(entries)}
    return ProjectFolder.write(folder / "app", files)


def said(text: str) -> list[str]:
    """Return what processes printed, without the log's own words."""
    return SAID.findall(text)


class Running:
    """A run that stays, and the lines that it has written."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        assert process.stderr is not None
        self.process = process
        self.seen: list[str] = []
        self._told: set[int] = set()
        self._lines = iter(process.stderr.readline, "")

    def until(self, text: str) -> str:
        """Return the first line that holds `text` and was not returned before."""
        for line in self._old():
            if text in line:
                self._told.add(id(line))
                return line
        raise AssertionError(f"`{text}` did not come:\n{''.join(self.seen)}")

    def _old(self) -> Iterator[str]:
        yield from [line for line in self.seen if id(line) not in self._told]
        for line in self._lines:
            self.seen.append(line)
            yield line

    def end(self, number: int = signal.SIGTERM) -> int:
        """Send a signal, read what is left, and return the exit code."""
        self.process.send_signal(number)
        self.seen += list(self._lines)
        return self.process.wait(DEADLINE)

    @property
    def said(self) -> list[str]:
        return said("".join(self.seen))


@pytest.fixture
def running(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[tuple[ProjectFolder, Running]]:
    """The project of the test's parameter, running with its services."""
    found = project(tmp_path, request.param)
    with found.start("run", "-v", "app") as process:
        yield found, Running(process)


def assert_closed(found: ProjectFolder) -> None:
    """Every process that began has ended, before the run did; the journal is whole."""
    assert found.problems() == ()
    events = found.events("process.spawned", "process.exited", "run.ended")
    pids = [(event.type, payload(event)["pid"]) for event in events[:-1]]
    assert events[-1].type == "run.ended"
    assert sorted(pid for type, pid in pids if type == "process.spawned") == sorted(
        pid for type, pid in pids if type == "process.exited"
    )


ORDER = (
    service("web", LISTENS, "requires: [app:cache]")
    + service("cache", LISTENS, "depends_on: [db]")
    + service("db", LISTENS)
)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
@pytest.mark.parametrize("running", [ORDER], indirect=True, ids=["order"])
def test_services_start_in_order_and_end_in_the_opposite_one(
    running: tuple[ProjectFolder, Running], number: int, code: int
) -> None:
    found, run = running
    assert "services `app:db`, `app:cache`, `app:web`" in run.until("running, no command was named")
    run.until("web is there")
    assert run.end(number) == code
    names = ["web", "cache", "db"]
    assert run.said[3:] == [f"{name} hears the service is stopped" for name in names]
    assert run.said[:3] == [f"{name} is there" for name in reversed(names)]
    assert_closed(found)


SINK = """
return { main = function()
  local inbox, time = process.inbox(), require("time")
  process.registry.register("sink")
  print("<ready>")
  while true do
    local item = inbox:receive():payload():data()
    time.sleep("1ms")
    print("<took " .. item .. ">")
  end
end }
"""
FEEDS = """
local function main()
  local time = require("time")
  while not process.registry.lookup("sink") do time.sleep("1ms") end
  for item = 1, 100 do
    assert(process.send("sink", "item", item))
  end
  return 7
end
return { main = main }
"""
LISTENING_SINK = """
return { main = function()
  local inbox, events, time = process.inbox(), process.events(), require("time")
  process.registry.register("sink")
  print("<ready>")
  while true do
    local got = channel.select({ inbox:case_receive(), events:case_receive() })
    if got.channel == events then
      return
    end
    time.sleep("1ms")
    print("<took " .. got.value:payload():data() .. ">")
  end
end }
"""
ALLOWED = "security: {actor: {id: app:sink}, policies: [may]}"


@pytest.mark.parametrize("sink", [SINK, LISTENING_SINK], ids=["deaf", "listening"])
def test_what_was_sent_before_the_end_of_a_command_is_processed(tmp_path: Path, sink: str) -> None:
    found = project(tmp_path, service("sink", sink, ALLOWED), command(FEEDS))
    ended = found.run("run", "-v", "app", "go")
    assert ended.code == 7, ended
    assert said(ended.stderr) == ["ready", *(f"took {item}" for item in range(1, 101))]
    assert_closed(found)


def test_limits_that_change_nothing_are_said_once(tmp_path: Path) -> None:
    found = project(tmp_path, command("return { main = function() end }"))
    found.replace(INDEX, "kind: process.host}", "kind: process.host, host: {workers: 4, max_processes: 2}}")
    ended = found.run("run", "app", "go")
    assert (ended.code, ended.stderr.count("not in force")) == (0, 1)
    assert "not in force: `host.workers`" in ended.stderr


FLAKY = """
return { main = function(name)
  local time = require("time")
  print("<" .. name .. " begins>")
  time.sleep("1ms")
  error("broken")
end }
"""


def test_a_service_that_fails_starts_again_until_it_is_given_up(tmp_path: Path) -> None:
    life = "restart: {initial_delay: 1ms, max_delay: 4ms, max_attempts: 3}"
    found = project(tmp_path, service("flaky", FLAKY, life), service("calm", LISTENS))
    with found.start("run", "-v", "app") as process:
        run = Running(process)
        assert "broken" in run.until("service `app:flaky` failed and is given up")
        assert sum("starts again in" in line for line in run.seen) == 3
        assert run.end() == 143
    assert run.said.count("flaky begins") == 4
    assert sum("error" in payload(event) for event in found.events("process.exited")) == 4
    assert_closed(found)


def test_a_required_service_that_can_not_start_ends_what_was_started(tmp_path: Path) -> None:
    full = "  - {name: tiny, kind: process.host, host: {max_processes: 1}}\n"
    lost = "requires: [first]"
    both = [service("first", LISTENS), service("lost", LISTENS, lost)]
    found = project(tmp_path, full, *(each.replace("app:host", "app:tiny") for each in both))
    ended = found.run("run", "-v", "app")
    assert ended.code not in (0, 130, 143)
    assert "service `app:lost` does not start" in ended.stderr
    assert "host `app:tiny` is full" in ended.stderr
    assert "Traceback" not in ended.stderr
    assert said(ended.stderr)[-1:] in ([], ["first hears the service is stopped"])
    both[1] = service("lost", LISTENS, f"{lost}, startup: optional")
    hoped = project(tmp_path / "hoped", full, *(each.replace("app:host", "app:tiny") for each in both))
    with hoped.start("run", "-v", "app") as process:
        run = Running(process)
        run.until("service `app:lost` failed and starts again")
        assert run.end() == 143


def test_what_a_service_names_must_be_there(tmp_path: Path) -> None:
    found = project(tmp_path, service("one", LISTENS, "requires: [app:two]"))
    ended = found.run("run", "app")
    assert ended.code == 2
    assert "`app:two`, which `app:one` requires, is not there" in ended.stderr
    assert INDEX in ended.stderr


@pytest.mark.parametrize("running", [service("one", LISTENS) + service("two", LISTENS)], indirect=True)
def test_an_edit_stops_restarts_and_starts_services(running: tuple[ProjectFolder, Running]) -> None:
    found, run = running
    run.until("two is there")
    run.until("running, no command")
    found.replace(INDEX, "input: [two]", "input: [second]")
    run.until("two hears the service is stopped")
    run.until("second is there")
    found.put(INDEX, HEAD + service("one", LISTENS.replace("is there", "is new")))
    run.until("second hears the service is stopped")
    run.until("one is new")
    found.put(INDEX, HEAD + service("one", LISTENS.replace("is there", "is new")) + service("three", LISTENS))
    run.until("three is there")
    assert run.end() == 143
    assert run.said[-2:] == [f"{name} hears the service is stopped" for name in ("three", "one")]
    assert_closed(found)


UPGRADES = """
return { main = function(name, told)
  process.set_options({ upgradable = true })
  print("<old " .. name .. " " .. tostring(told) .. ">")
  local event = process.events():receive()
  if event.kind == process.event.OUTDATED then
    process.upgrade(nil, name, process.pid() .. " " .. table.concat(event.sources, ","))
  end
end }
"""


@pytest.mark.parametrize("running", [service("one", UPGRADES)], indirect=True)
def test_a_process_that_asked_for_it_upgrades_itself(running: tuple[ProjectFolder, Running]) -> None:
    found, run = running
    run.until("old one nil")
    run.until("running, no command")
    found.replace(INDEX, "<old ", "<new ")
    [pid] = [payload(event)["pid"] for event in found.events("process.spawned")]
    run.until(f"new one {pid} app:one.process")
    assert run.end() == 143
    assert len(found.events("process.spawned")) == 1
    assert_closed(found)


STUBBORN = LISTENS.replace(
    "local event = process.events():receive()", "process.events() process.inbox():receive()"
)


@pytest.mark.parametrize("running", [service("stubborn", STUBBORN, "stop_timeout: 1h")], indirect=True)
def test_who_is_asked_twice_is_ended(running: tuple[ProjectFolder, Running]) -> None:
    found, run = running
    run.until("stubborn is there")
    run.process.send_signal(signal.SIGTERM)
    run.process.send_signal(signal.SIGINT)
    assert run.end() == 143
    assert_closed(found)


@pytest.mark.parametrize(
    ("result", "code", "out", "err"),
    [
        ("return 5", 5, "", ""),
        ("return true", 0, "", ""),
        ("return false", 1, "", ""),
        ("return 'done'", 0, "done\n", ""),
        ("return nil", 0, "", ""),
        ("error('no way')", 1, "", "no way"),
        ("return nil, errors.new('no use')", 1, "", "no use"),
        (
            "channel.new():receive()",
            1,
            "",
            "deadlock: all coroutines blocked with no pending operations (threads=1)",
        ),
    ],
)
def test_the_exit_code_is_what_the_process_ends_with(
    tmp_path: Path, result: str, code: int, out: str, err: str
) -> None:
    found = project(tmp_path, command(f"return {{ main = function()\n  {result}\nend }}"))
    ended = found.run("run", "app", "go")
    assert (ended.code, ended.stdout) == (code, out)
    assert err in ended.stderr


CLEANS_UP = """
return { main = function()
  local io = require("io")
  io.print("ready")
  local event = process.events():receive()
  io.print("cleaned up: " .. event.reason)
  return 0
end }
"""


def test_a_command_that_listens_cleans_up_before_it_ends(tmp_path: Path) -> None:
    found = project(tmp_path, command(CLEANS_UP))
    with found.start("run", "app", "go") as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        process.send_signal(signal.SIGTERM)
        assert process.stdout.readline() == "cleaned up: the run was terminated\n"
        assert process.wait(DEADLINE) == 143
    assert_closed(found)


ENDS_IT = """
return { main = function()
  assert(require("system").exit(5))
  print("<asked>")
  local event = process.events():receive()
  print("<told " .. event.reason .. ">")
end }
"""


def test_a_process_may_end_the_run_with_a_code_of_its_own(tmp_path: Path) -> None:
    found = project(
        tmp_path, service("other", LISTENS), service("one", ENDS_IT, "requires: [other], " + ALLOWED)
    )
    ended = found.run("run", "-v", "app")
    assert ended.code == 5, ended
    assert said(ended.stderr) == [
        "other is there",
        "asked",
        "told the service is stopped",
        "other hears the service is stopped",
    ]
    assert payload(found.events("run.ended")[-1]) == {"code": 5, "whose": "process"}
    assert_closed(found)
