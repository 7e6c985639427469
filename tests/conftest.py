"""What holds for every test, whichever is run."""

import os
import signal

import pytest
from hypothesis import is_hypothesis_test, settings

# A law is no stopwatch: on a busy machine any example may take long. Where a run decides whether a change is taken in
# (CI is set), the same examples are tried each time; elsewhere new ones are.
settings.register_profile("laws", deadline=None, derandomize="CI" in os.environ)
settings.load_profile("laws")

# A shell lets its background jobs ignore Ctrl-C, which some tests send.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# By default a law is tried on a tenth of its examples, and on ten at least; on a third of them if it asks for so few
# because each costs a fit.
SHARE, FEWEST, SHARE_OF_FEW = 10, 10, 3


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Try each law on few examples by default, and on all of them under `-m slow`."""
    laws = [item for item in items if isinstance(item, pytest.Function) and is_hypothesis_test(item.obj)]
    if config.option.markexpr == "slow":
        for law in laws:
            law.add_marker("slow")
        return
    for function in {getattr(law.obj, "__func__", law.obj) for law in laws}:
        asked = function._hypothesis_internal_use_settings
        function._hypothesis_internal_use_settings = settings(asked, max_examples=few_of(asked.max_examples))


def few_of(examples: int) -> int:
    return max(examples // SHARE, min(FEWEST, -(-examples // SHARE_OF_FEW)))
