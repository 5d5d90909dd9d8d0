"""One module per noun, one function per page. A view fetches by selector, calls at most one service, renders."""
