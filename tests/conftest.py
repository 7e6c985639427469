"""What holds for every test, whichever is run."""

import os

from hypothesis import settings

# A law is no stopwatch: on a busy machine any example may take long. Where a run decides whether a change is taken in
# (CI is set), the same examples are tried each time; elsewhere new ones are.
settings.register_profile("laws", deadline=None, derandomize="CI" in os.environ)
settings.load_profile("laws")
