local scope = process.registry.EVENTUAL
process.registry.register("walk", nil, scope)
return process.registry.unregister("walk", scope)
