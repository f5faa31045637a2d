-- wants: read a file by way of a time zone
-- modules: time
local zone = time.load_location("../../../etc/passwd")
return zone and "it was read"
