-- wants: change a module
-- modules: json
json.encode = function() return "mine" end
return json.encode({}) == "mine" and "it changed"
