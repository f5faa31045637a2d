-- expect: timeout
pcall(function() while true do end end)
return "survived"
