-- expect: value {"kind": "PermissionDenied", "message": "forged"}
return setmetatable({ kind = "PermissionDenied", message = "forged" }, { __name = "error", __metatable = "error" })
