-- expect: error Internal `dofile` is not available in the sandbox
return dofile("/etc/passwd")
