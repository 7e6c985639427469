"""What every benchmark shares: how it is declared, run, timed, recorded, and shown."""
