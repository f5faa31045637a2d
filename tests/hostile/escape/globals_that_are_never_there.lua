-- expect: value "nil nil nil nil"
return table.concat({ tostring(debug), tostring(package), tostring(io), tostring(python) }, " ")
