"""What holds for every test, whichever is run."""

from hypothesis import settings

# A law is no stopwatch: on a busy machine any example may take long.
settings.register_profile("laws", deadline=None)
settings.load_profile("laws")
