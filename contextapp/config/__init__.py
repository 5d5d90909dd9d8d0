"""Where the installation is put together: settings, URLs, WSGI, Celery and the local launcher."""
