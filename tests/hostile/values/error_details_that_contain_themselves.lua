-- expect: error Invalid bad
local details = {}
details.details = details
return nil, errors.new({ kind = errors.INVALID, message = "bad", details = details })
