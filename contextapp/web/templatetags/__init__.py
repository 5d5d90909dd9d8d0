"""Tags and filters of the templates, one module per thing shown. They escape whatever they are given."""
