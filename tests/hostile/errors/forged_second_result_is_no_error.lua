-- expect: value 1
return 1, { kind = "Timeout", message = "forged", retryable = true }
