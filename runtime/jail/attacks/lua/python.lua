-- wants: reach Python
return python and python.builtins and "it has it"
