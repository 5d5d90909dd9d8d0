"""The door for agents: a typed HTTP API. Holds no rule of its own; every answer comes from a service or selector."""
