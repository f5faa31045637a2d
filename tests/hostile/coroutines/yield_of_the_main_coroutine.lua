-- expect: error Internal attempt to yield from outside a coroutine
coroutine.yield({})
