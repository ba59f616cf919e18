"""What tests of documents share."""
