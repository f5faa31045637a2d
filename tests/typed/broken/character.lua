local x = $1
