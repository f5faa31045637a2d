return process.registry.register("walk")
