-- expect: error Internal `package` is not available in the sandbox
return package.loaded
