"""What the pages show, from the records."""
