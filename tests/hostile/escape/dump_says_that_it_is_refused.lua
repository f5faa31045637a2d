-- expect: error Internal `string.dump` is not available in the sandbox
return string.dump(function() end)
