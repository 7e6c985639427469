"""What the pages say of the paper's printed rules, against the rules written out by hand: no code of the page makes it.

The expressions below are typed from the paper's Table 1 (the truth) and its appendix E (what its network found).
"""

import numpy as np
import pytest
from numpy.typing import NDArray

from benchmarks.fits import share_alike
from benchmarks.harness.stamp import ROOT
from r2n.datasets import example

PAGE = ROOT / "docs" / "results.md"
Columns = list[NDArray[np.float64]]


def true_labels(number: int, x: Columns) -> NDArray[np.bool_]:
    match number:
        case 1:
            return (x[0] > 0.25) | (x[1] < 0.5)
        case 2:
            return (x[0] / x[1] > 0.5) | (x[4] < 0.25)
        case 3:
            return (x[0] + 0.5 * x[1] > 0.5) | (x[4] < 0.25)
        case 4:
            return ((x[0] < 0.2) & (x[1] + x[2] > 0.5)) | ((x[4] / x[3] > 1) & (x[1] < 0.5))
        case _:
            return ((x[4] < 0.2) & (x[0] / x[1] > 0.5)) | (0.2 * x[1] + 0.5 * x[3] > 0.5) | (x[0] < 0.2)


def printed_labels(number: int, x: Columns) -> NDArray[np.bool_]:
    match number:
        case 1:
            return (x[0] > 0.26) | (x[1] < 0.49)
        case 2:
            return ((x[0] - 0.41 * x[1] > 0) & (x[0] - 0.53 * x[1] > 0)) | (x[4] < 0.25)
        case 3:
            first = x[0] + 0.49 * x[1] > 0.41
            return (first & (x[4] < 0.23)) | (first & (x[0] + 0.50 * x[1] > 0.51)) | (x[4] < 0.25)
        case 4:
            total = x[0] - 0.1 * x[1] - 0.2 * x[2] - 0.4 * x[3] - 0.2 * x[4]
            last = 0.1 * x[0] + x[1] + x[2] - 0.1 * x[3] > 0.46
            return (
                ((x[1] < 0.49) & (x[4] - x[3] >= 0))
                | (x[0] < -0.2)
                | ((total > -2.2) & (x[0] < 0.2) & (-x[3] + x[4] > 0))
                | ((total > -2.1) & (x[4] - x[3] > 0) & last)
            )
        case _:
            return ((x[4] < 0.2) & (x[0] - 0.6 * x[1] > -0.1)) | (x[0] < 0.2) | (x[3] + 0.4 * x[1] > 1)


RIGHT = {1: 0.9927, 2: 0.9879, 3: 0.9922, 4: 0.7149, 5: 0.9975}


@pytest.mark.parametrize("number", RIGHT)
def test_the_page_says_on_how_many_rows_the_printed_rules_are_right(number: int) -> None:
    X, y = example(number).sample(10_000, random_state=0)
    x = list(X.T)
    assert np.array_equal(y, true_labels(number, x))
    share = float(np.mean(printed_labels(number, x) == y))
    assert share == pytest.approx(RIGHT[number], abs=5e-5)
    (said,) = (
        line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith(f"**example {number}**")
    )
    assert f"right on {share:.4f} of 10,000 rows" in said


def test_labels_of_two_kinds_are_refused_instead_of_never_being_alike() -> None:
    assert share_alike(np.array(["a", "b"], dtype=object), ["a", "c"]) == 0.5
    with pytest.raises(TypeError, match="labels of type str cannot be compared with labels of type bool"):
        share_alike(["True", "False"], np.array([True, False]))
    with pytest.raises(ValueError, match="2 labels cannot be compared with 1"):
        share_alike([True, False], [True])
