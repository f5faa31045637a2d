local port: number @min(1) @max(65535) = "http" --! E0001
