"""An embedded Lua-hosting runtime with a declarative YAML registry."""

__version__ = "0.1.0"
