def importer(url, key):
    """Fetches the records of a service."""
    return {"url": url, "key": key}
