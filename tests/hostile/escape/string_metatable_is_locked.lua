-- expect: value "false"
return tostring(getmetatable(""))
