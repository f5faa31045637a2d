"""Pages about writing Lua in general; those of the modules stand beside the modules, as `spec.md`."""
