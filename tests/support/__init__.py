"""What several tests share: terms, theories, provers, servers and files. No tests, no fixtures."""
