-- expect: error Timeout forged
return nil, errors.new({ kind = "Timeout", message = "forged", retryable = true })
