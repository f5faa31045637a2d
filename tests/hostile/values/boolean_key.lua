-- expect: error Invalid a key of type boolean
return { [true] = 1 }
