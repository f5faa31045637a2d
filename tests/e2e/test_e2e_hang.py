"""Lua that answers nothing any more, in a real run: it is noticed and named, and the program still ends."""

from __future__ import annotations

import signal
import time
from pathlib import Path

import pytest

from runtime.testing.project import ProjectFolder

pytestmark = pytest.mark.timeout(60)

INDEX = """namespace: app
entries:
  - {name: terminal, kind: terminal.host}
  - {name: host, kind: process.host}
  - name: may
    kind: security.policy
    policy: {actions: ["process.*"], resources: "*", effect: allow}
  - name: hangs
    kind: process.lua
    method: main
    modules: [time, logger]
    source: file://hangs.lua
    meta: {command: {name: go, security: {actor: {id: app:go}, policies: [may]}}}
  - name: hangs.elsewhere
    kind: process.lua
    method: main
    modules: [time, logger]
    source: file://hangs.lua
  - name: service
    kind: process.service
    process: app:hangs.elsewhere
    host: app:host
    lifecycle: {auto_start: AUTO, stop_timeout: 10m}
"""

# One round of the collector takes minutes: it goes over all keys again for each link of a chain that is laid
# out against the order in which it goes. No hook and no look at a clock is in it.
HANGS = """
return { main = function()
  logger:error("<begins>")
  time.sleep("1ms")
  local weak, held, keys, chain = setmetatable({}, { __mode = "k" }), {}, {}, {}
  for at = 1, 60000 do
    held[at] = {}
    weak[held[at]] = true
  end
  for key in pairs(weak) do keys[#keys + 1] = key end
  local middle = #keys // 2
  for at = 0, middle - 2 do
    chain[#chain + 1], chain[#chain + 2] = keys[middle + 1 + at], keys[middle - at]
  end
  for at = 1, #chain - 1 do weak[chain[at]] = chain[at + 1] end
  local first = chain[1]
  held, keys, chain = nil, nil, nil
  while first do local _ = { {} } end
end }
"""
SOON = 10.0  # seconds from the signal to the end, on a busy machine; the run needs about one


def project(folder: Path, *, service: bool) -> ProjectFolder:
    index = INDEX.replace("AUTO", str(service).lower())
    files = {".wippy.yaml": 'version: "1.0"\n', "src/_index.yaml": index, "src/hangs.lua": HANGS}
    return ProjectFolder.write(folder / "app", files)


@pytest.mark.parametrize(("sent", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_command_that_hangs_is_named_and_its_run_ends_by_a_signal(
    tmp_path: Path, sent: signal.Signals, code: int
) -> None:
    app = project(tmp_path, service=False)
    with app.start("run", "app", "go") as process:
        assert process.stderr is not None
        notice = next(line for line in process.stderr if "holds up the host" in line)
        assert "`app:hangs` holds up the host `app:terminal`" in notice
        assert "no limit can stop, last seen at src/hangs.lua:" in notice
        sent_at = time.monotonic()
        process.send_signal(sent)
        assert process.wait(SOON) == code
        assert time.monotonic() - sent_at < SOON
    [ended] = app.events("run.ended")
    assert isinstance(ended.payload, dict)
    assert (ended.payload["code"], ended.payload["whose"]) == (code, "signal")
    assert app.problems() == ()


def test_a_signal_before_anybody_noticed_is_enough(tmp_path: Path) -> None:
    with project(tmp_path, service=False).start("run", "app", "go") as process:
        assert process.stderr is not None
        assert any("<begins>" in line for line in process.stderr)
        process.send_signal(signal.SIGTERM)
        assert process.wait(SOON) == 143


def test_a_service_that_hangs_does_not_keep_the_run(tmp_path: Path) -> None:
    with project(tmp_path, service=True).start("run", "app") as process:
        assert process.stderr is not None
        notice = next(line for line in process.stderr if "holds up the host" in line)
        assert "`app:hangs.elsewhere` holds up the host `app:host`" in notice
        process.send_signal(signal.SIGTERM)
        assert process.wait(SOON) == 143
