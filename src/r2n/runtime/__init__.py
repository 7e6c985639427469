"""The operating system: processes, forks, Ctrl-C, files written whole, the progress bar."""
