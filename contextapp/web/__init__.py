"""The door for people: pages in HTML, HTMX partials, SVG charts. Imports no model."""
