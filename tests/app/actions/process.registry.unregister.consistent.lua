local scope = process.registry.CONSISTENT
process.registry.register("walk", nil, scope)
return process.registry.unregister("walk", scope)
