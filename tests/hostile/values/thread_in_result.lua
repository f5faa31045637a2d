-- expect: error Invalid a thread can not cross
return coroutine.create(print)
