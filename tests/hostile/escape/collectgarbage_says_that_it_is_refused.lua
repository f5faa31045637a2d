-- expect: error Internal `collectgarbage` is not available in the sandbox
return collectgarbage("count")
