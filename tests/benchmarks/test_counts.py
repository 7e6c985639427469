"""RIPPER's rows counted as bits: the rules are those that wittgenstein finds by itself."""

import numpy as np
import pandas as pd
import pytest
import wittgenstein

from benchmarks.methods.binarise import QuantileBins
from benchmarks.methods.counts import as_bits, best_successor, counted_as_bits
from r2n.datasets import example


def rules_of(table: pd.DataFrame) -> str:
    model = wittgenstein.RIPPER(random_state=0)
    model.fit(table, class_feat="label", pos_class=True)
    return str(model.ruleset_)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("binarised", [True, False])
@pytest.mark.parametrize("number", range(1, 6))
def test_the_rules_are_the_same(number: int, binarised: bool) -> None:
    X, y = example(number).sample(400, random_state=number, flip=0.05)
    frame = pd.DataFrame(X, columns=list("abcde"))
    table = (QuantileBins(10).fit(frame).transform(frame) if binarised else frame).assign(label=y)
    with counted_as_bits():
        assert wittgenstein.base_functions.best_rule_successor_cn is best_successor
        fast = rules_of(table)
    assert wittgenstein.base_functions.best_rule_successor_cn is not best_successor
    assert fast == rules_of(table)


def test_bits_are_counted_one_by_one() -> None:
    rows = {0, 3, 63, 64, 129}
    assert int(np.bitwise_count(as_bits(rows, 130)).sum()) == 5
    assert int(np.bitwise_count(as_bits(rows, 130) & as_bits({3, 64, 100}, 130)).sum()) == 2
    assert int(np.bitwise_count(as_bits(set(), 1)).sum()) == 0
