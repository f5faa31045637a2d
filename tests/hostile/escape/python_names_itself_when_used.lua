-- expect: error Internal `python` is not available in the sandbox
return python.builtins
