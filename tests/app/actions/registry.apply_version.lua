-- Allowed, it gets as far as to be told that this version can not go back.
return registry.apply_version(registry.current_version())
