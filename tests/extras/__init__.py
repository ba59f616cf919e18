"""Tests that need packages of the extras; each module skips, and says so, where they are missing (`make check-extras`)."""
