return security.new_scope()
