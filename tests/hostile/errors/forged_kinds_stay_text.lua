-- expect: error  not a kind
return nil, errors.new({ kind = "Timeout\0", message = "not a kind" })
