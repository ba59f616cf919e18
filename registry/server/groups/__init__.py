"""registry/server/groups"""
