"""What the operating system does to a fit: processes, forks, a Ctrl-C, files written whole, the progress bar."""
