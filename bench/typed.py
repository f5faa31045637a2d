"""What erasure costs, as ratios to lupa's own load of the text: `python bench/typed.py [--rounds N]`.

The same 1 MB of source is measured plain and typed; a ratio can be compared between machines. `cold` is the
first reading of a text, erasure and all that Lua is asked for it; `again` one that was read before; each is
followed by the load that runs it. Medians.
"""

from __future__ import annotations

import argparse
import gc
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from runtime.lua.state import new_lua
from runtime.lua.syntax import _Parser
from runtime.lua.typed.erase import Eraser

SIZE = 1_000_000
COLD_LIMIT, AGAIN_LIMIT = 20.0, 1.2
TYPED = """
-- What is known of one kind of item. The note is there only for those that somebody has looked at.
type Item{n} = {{identifier: string, count: number, tags: {{string}}, note?: string}}

-- Sums the items of one kind and says which of them it has seen.
-- What has no count is left out; the first item without a note ends the walk, with a reason for the log.
local function total_{n}(items: {{Item{n}}}, kind: string?, ...: any): (number, string?)
    local total: number = 0
    for index: integer, item: Item{n} in ipairs(items) do
        if item.count ~= nil and (kind == nil or item.identifier == kind) then
            total = total + (item.count as number) * 1.5
            logger:debug("counted one more item of this kind", {{ position = index, total = total }})
        elseif not item.note then
            return total, "no note at item " .. item.identifier .. ", looked at " .. tostring(index)
        end
    end

    local first = items[1]!
    local seen: {{[string]: boolean}} = {{ [first.identifier] = true, other = false }}
    while seen[first.identifier] and total < 100 do
        -- every tag counts once, and so does what the caller has given besides
        total = total + #first.tags + (select("#", ...) :: integer)
        seen[first.identifier] = nil
    end
    return total, nil
end
exports.total_{n} = total_{n}
"""


def source(size: int) -> str:
    """Return typed Lua of about `size` bytes; no two of its functions are the same."""
    parts = ["local exports, logger = {}, {}\n"]
    length, number = len(parts[0]), 0
    while length < size - 2000:
        block = TYPED.format(n=number)
        # A function has room for 200 locals, so each part stands in a block of its own.
        parts.append(f"do{block}end\n")
        length += len(parts[-1])
        number += 1
    return "".join([*parts, "return exports\n"])


def median(rounds: int, work: Callable[[], object]) -> float:
    """Return the median of `rounds` runs in seconds of the processor."""
    times = []
    for _ in range(rounds):
        gc.collect()
        started = time.process_time()
        work()
        times.append(time.process_time() - started)
    return statistics.median(times)


def measure(name: str, text: str, rounds: int) -> list[str]:
    """Print what reading `text` costs, and return the limits that it breaks."""
    parse = _Parser().parse
    plain = Eraser(parse).erase(text, name).program.encode()
    lua = new_lua(0)
    load = lua.eval(b"function(s) return load(s, '=source', 't', {}) ~= nil end")
    own = median(rounds, lambda: load(plain))
    cold = median(rounds, lambda: load(Eraser(parse).erase(text, name).program.encode()))
    kept = Eraser(parse)
    kept.erase(text, name)
    again = median(rounds, lambda: load(kept.erase(text, name).program.encode()))
    row = f"{name:6} {len(text) / 1e6:.2f} MB  load {own * 1e3:7.1f} ms"
    print(f"{row}  cold {cold / own:6.2f} x  again {again / own:5.2f} x")
    found = []
    if cold / own > COLD_LIMIT:
        found.append(f"{name}: cold {cold / own:.1f} x, expected at most {COLD_LIMIT}")
    if again / own > AGAIN_LIMIT:
        found.append(f"{name}: again {again / own:.2f} x, expected at most {AGAIN_LIMIT}")
    return found


def main() -> int:
    """Measure and return 1 where a limit is broken."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    typed = source(SIZE)
    plain = Eraser(_Parser().parse).erase(typed, "typed").text
    broken = [*measure("plain", plain, rounds), *measure("typed", typed, rounds)]
    for line in broken:
        print(line, file=sys.stderr)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
