"""The Python client of the HTTP API. Imports nothing else of this project."""
