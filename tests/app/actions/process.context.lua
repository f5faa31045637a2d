return process.with_context({ a = 1 })
