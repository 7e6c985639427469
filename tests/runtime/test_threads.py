"""Libraries kept to one thread."""

import numpy as np
from threadpoolctl import threadpool_info

from r2n.runtime.threads import use_one_thread


def threads() -> list[int]:
    """Of every library that is loaded."""
    return [each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas"]


def test_inside_there_is_one_thread_and_outside_as_many_as_before() -> None:
    before = threads()
    assert before, np.show_config()
    with use_one_thread("blas"):
        assert set(threads()) == {1}
        with use_one_thread():
            assert set(threads()) == {1}
    assert threads() == before
