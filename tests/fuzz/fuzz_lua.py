"""Random Lua: real files with bytes and words exchanged, and programs made of all that the sandbox offers."""

from __future__ import annotations

import random
import re
from pathlib import Path

TESTS = Path(__file__).parents[1]
FILES = [
    path.read_text(encoding="utf-8")
    for folder in ("values", "errors", "escape", "coroutines", "deputy", "neighbours")
    for path in sorted((TESTS / "hostile" / folder).glob("*.lua"))
    if "flood" not in path.name
    and "end" not in path.name  # what fills its memory takes long a thousand times
]
WORDS = [word for text in FILES for word in re.findall(r"\w+|[^\w\s]", text)]
VALUES = [
    *("nil", "true", "0", "-1", "1e308", "0/0", "math.huge", "math.mininteger", "2^53", "0x7fffffffffffffff"),
    *('""', '"\\255"', '"a%b"', '("x"):rep(70000)', '"\\0"', "{}", "{1, nil, 3}", "{[1.5]=1}", "{a={b={}}}"),
    *("print", "coroutine.create(print)", "coroutine.running()", "channel.new(1)", "errors.new('x')", "_G"),
    *(
        "string",
        "getmetatable('')",
        "setmetatable({}, {__index=function() return v end})",
        "v",
        "w",
        "u",
        "...",
    ),
    *(
        "setmetatable({}, {__tostring=error, __len=error, __eq=error, __pairs=pairs})",
        "function() return v end",
    ),
    *(
        "setmetatable({}, {__close=print, __call=pcall, __concat=error, __name='x'})",
        "{v, v}",
        "{[v or 1]=w}",
    ),
    *("setmetatable({}, {__mode='k', __metatable=false})", "table.freeze({1})", "ctx", "process", "logger"),
]
CALLS = [
    *("host.call('echo', @)", "host.call('odd', @)", "host.sync('echo', @)", "host.sync('double', @)"),
    *("host.cast('noise', @)", "host.sync('fail')", "host.sync('raise')", "host.call(@)", "host.error(@, @)"),
    *("host.post(host.task().pid, 'x', '', @)", "host.subscribe(@, @)", "host.array(@)", "host.is_array(@)"),
    *("host.timer(0, function() return @ end)", "host.sleep(@)", "host.values()", "host.offer(@, @)"),
    *("pcall(@, @)", "xpcall(@, @, @)", "error(@, @)", "select(@, @)", "tostring(@)", "tonumber(@, @)"),
    *("setmetatable(@, @)", "rawset(@, @, @)", "rawget(@, @)", "next(@, @)", "rawequal(@, @)"),
    *("coroutine.wrap(@)(@)", "coroutine.resume(@, @)", "coroutine.close(@)", "coroutine.spawn(@, @)"),
    *("coroutine.create(@)", "coroutine.yield(@)", "coroutine.status(@)", "channel.select({})"),
    *("string.rep(@, @, @)", "string.format(@, @)", "string.find(@, @, @, @)", "string.gsub(@, @, @)"),
    *("string.pack(@, @)", "string.unpack(@, @)", "string.byte(@, @, @)", "string.sub(@, @, @)"),
    *("table.concat(@, @, @, @)", "table.sort(@, @)", "table.unpack(@, @, @)", "table.insert(@, @, @)"),
    *("table.move(@, @, @, @)", "table.remove(@, @)", "utf8.char(@)", "utf8.codepoint(@, @, @)"),
    *("errors.new(@)", "errors.new({kind=@, message=@, details={}})", "errors.is(@, @)", "math.random(@, @)"),
    *("json.encode(@)", "json.decode(@)", "base64.decode(@)", "yaml.decode(@)", "yaml.encode(@)"),
    *("text.regexp.compile(@)", "expr.eval(@, @)", "time.parse(@, @)", "hash.sha256(@)", "require(@)"),
    *("logger:info(@, @)", "print(@, @)", "assert(@, @)", "process.send(@, @, @)", "ctx.get(@)"),
]
MODULES = ("host", "json", "base64", "yaml", "text", "expr", "time", "hash", "ctx", "logger", "process")
FRAMES = [
    *(
        "@",
        "@",
        "@",
        "v = @",
        "w = @",
        "u = @",
        "v, w = pcall(function() return @ end)",
        "v = @ or v",
        "v = @ .. @",
    ),
    *("if @ then v = @ end", "for a, b in pairs(@) do v = b end", "for i = 1, 3 do v = @ end", "v = #@"),
    *("do local c <close> = @ end", "v = @ == @", "v = @ < @", "v = (@)(@)", "v = (@).a", "(@).a = @"),
    *("coroutine.spawn(function(...) $ end)", "v = coroutine.wrap(function(...) $ coroutine.yield(@) end)"),
    *(
        "v = function(...) $ return @ end",
        "local x <const> = @",
        "w = { v, @ }",
        "v.self = v",
        "w = { [v] = v }",
    ),
    *(
        "while @ do $ break end",
        "error(@)",
        "v = xpcall(function() $ end, function(e) $ end)",
        "repeat $ until @",
    ),
]
"""`@` stands for an expression, `$` for a statement; a call alone stands for itself."""


def program(dice: random.Random) -> str:
    """Return the source of one program, which may well be no Lua."""
    body = mutated(dice) if dice.random() < 0.4 else written(dice)
    return f"return function(...)\n{body}\nend" if dice.random() < 0.95 else body


def written(dice: random.Random) -> str:
    """Return random statements about three variables; the failure of one seldom stops the next."""
    lines = [
        statement if dice.random() < 0.1 else f"pcall(function(...) {statement} end, ...)"
        for statement in (_statement(dice, 0) for _ in range(dice.randrange(1, 12)))
    ]
    return "\n".join(
        ["local v, w, u = ...", *lines, dice.choice(("return v, w", "return { w }", "return u"))]
    )


def mutated(dice: random.Random) -> str:
    """Return a real file in which something was exchanged, doubled or left out: words, or any bytes."""
    source = dice.choice(FILES)
    pieces = re.findall(r"\s+|\w+|\"[^\"\n]*\"|[^\w\s]", source) if dice.random() < 0.8 else list(source)
    for _ in range(dice.randrange(1, 4)):
        at = dice.randrange(len(pieces))
        if pieces[at].isidentifier() and dice.random() < 0.7:
            pieces[at] = dice.choice((dice.choice(VALUES), _call(dice, 2), dice.choice(WORDS)))
        else:
            pieces[at] = dice.choice(
                (
                    "",
                    pieces[at] * 2,
                    dice.choice(WORDS),
                    f" {_statement(dice, 1)} ",
                    chr(dice.randrange(1, 256)),
                )
            )
    return "".join(pieces)


def _filled(dice: random.Random, form: str, depth: int) -> str:
    """Put something into each place of `form`."""
    text = ""
    for sign in form:
        if sign == "@":
            text += _expression(dice, depth + 1)
        elif sign == "$":
            text += _statement(dice, depth + 1) if depth < 3 else "v = nil"
        else:
            text += sign
    return text


def _statement(dice: random.Random, depth: int) -> str:
    form = dice.choice(FRAMES)
    return f"v = {_call(dice, depth)}" if form == "@" else _filled(dice, form, depth)


def _call(dice: random.Random, depth: int) -> str:
    return _filled(dice, dice.choice(CALLS), depth)


def _expression(dice: random.Random, depth: int) -> str:
    return _call(dice, depth) if depth < 4 and dice.random() < 0.3 else f"({dice.choice(VALUES)})"
