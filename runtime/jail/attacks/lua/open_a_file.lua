-- wants: open a file
local file = io.open("/etc/passwd")
return file and "it is open"
