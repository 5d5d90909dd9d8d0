"""What one machine needs to run the product by itself: database, processes, catalogues. Imports nothing of Django."""
