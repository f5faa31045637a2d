-- expect: error Internal `debug` is not available in the sandbox
return debug.getregistry()
