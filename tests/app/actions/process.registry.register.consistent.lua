return process.registry.register("walk", nil, process.registry.CONSISTENT)
