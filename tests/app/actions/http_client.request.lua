return http_client.get(given.url)
