-- expect: error Internal more than 16 MB
-- limit: 5
return string.pack("c2147483647", "")
