process.registry.register("walk")
return process.registry.unregister("walk")
