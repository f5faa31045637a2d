-- expect: error Invalid a function can not cross at `list[2].f`
return { list = { 1, { f = print } } }
