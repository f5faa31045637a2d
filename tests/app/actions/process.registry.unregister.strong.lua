local scope = process.registry.STRONG
process.registry.register("walk", nil, scope)
return process.registry.unregister("walk", scope)
