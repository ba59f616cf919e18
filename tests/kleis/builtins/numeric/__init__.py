"""Numerical computation: laws, shapes, hostile arguments, and the extra's absence."""
