"""The hostile corpus: what an attacker would try, as small programs whose only good outcome is a refusal.

`native` holds Python that runs inside a child after all its nets are up, as if Lua were broken; `lua` holds
programs that go through the whole jail as a tool born at run time would.
"""
