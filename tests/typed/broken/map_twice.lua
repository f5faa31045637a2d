type M = {[string]: any, [number]: any}
