"""The registry: tools, their versions, the servers and the commands."""
