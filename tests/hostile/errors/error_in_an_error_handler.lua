-- expect: contained
return xpcall(error, function() error("again") end) and "no" or "contained"
