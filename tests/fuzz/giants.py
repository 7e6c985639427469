"""Inputs of any size, each the worst of its sort: what is long, deep, repeated, alike, or of equal hash."""

import json
from collections.abc import Callable, Iterable
from itertools import islice, product
from random import Random
from typing import Any

MODULUS = 2**61 - 1  # numbers that differ by it have the same hash
EQUAL_HASH = [2.0 ** (61 * k) for k in range(-8, 9)]  # and so have these floats

Giant = tuple[str, str]  # who reads it, and the text
GIANTS: dict[str, Callable[[int], Giant]] = {}  # by name; each is made, of about so many bytes, when it is asked for


def giant(make: Callable[[int], Giant]) -> Callable[[int], Giant]:
    GIANTS[make.__name__] = make
    return make


def _dump(content: object) -> str:
    return json.dumps(content, separators=(",", ":"))


def _document(rules: object, columns: object = None, training: object = None, **fields: object) -> Giant:
    content = {"format": "r2n rule set", "version": 1, "label": "yes", "default": "no", "rules": rules}
    return "file", _dump(content | {"columns": columns, "training": training} | fields)


def _classes(classes: object, **fields: object) -> Giant:
    content = {"format": "r2n rules for several classes", "version": 1, "classes": classes, "default": "z"}
    return "file", _dump(content | {"columns": None, "training": None} | fields)


ONE = [[1, 1.0], [1, 1.0], [0, 0.0]]  # the count of a rule


def _training(rules: object, decided: object) -> dict[str, object]:
    return {"rows": 9, "weight": 9.0, "rules": rules, "decided": decided}


def _sum(terms: Iterable[tuple[object, float]], threshold: float = 1.0) -> dict[str, object]:
    return {"kind": "halfspace", "terms": [list(term) for term in terms], "threshold": threshold}


def _set(values: Iterable[object], column: str = "c", negated: bool = False) -> dict[str, object]:
    return {"kind": "membership", "column": column, "values": list(values), "negated": negated}


def _filled(column: str, fill: float) -> dict[str, object]:
    return {"kind": "filled", "column": column, "fill": fill}


def _column(name: str, **fields: object) -> dict[str, object]:
    plain: dict[str, Any] = {
        "name": name,
        "kind": "numeric",
        "low": None,
        "high": None,
        "categories": [],
        "missing": False,
    }
    return plain | {"missing_values": [], "integer": False} | fields


def _fit(size: int, make: Callable[[int], Any]) -> Any:
    """The largest of these that fits the size, near enough."""
    n = max(int(1_000 * size / len(_dump(make(1_000)))), 1)
    return make(max(int(n * 0.95 * size / len(_dump(make(n)))), 1))


KNOWN = {"kind": "known", "column": "x"}

# -- model files: sums -------------------------------------------------------------------------------


@giant
def terms_the_last_repeated(size: int) -> Giant:
    return _document([[_fit(size, lambda n: _sum([*((f"x{k}", 1.0) for k in range(n)), (f"x{n - 1}", 2.0)]))]])


@giant
def terms_many(size: int) -> Giant:
    return _document([[_fit(size, lambda n: _sum((f"x{k}", k + 0.5) for k in range(n)))]])


@giant
def terms_short(size: int) -> Giant:
    names = ["".join(pair) for pair in product(map(chr, range(48, 127)), repeat=3)]
    return _document([[_fit(size, lambda n: _sum((name, 2) for name in names[:n]))]])


@giant
def terms_filled(size: int) -> Giant:
    return _document([[_fit(size, lambda n: _sum((_filled(f"x{k}", k), 1.0) for k in range(n)))]])


@giant
def terms_sets(size: int) -> Giant:
    return _document([[_fit(size, lambda n: _sum((_set([k]), 1.0 + k) for k in range(n)))]])


@giant
def terms_sets_of_equal_hash(size: int) -> Giant:
    sets = [list(values) for values in islice(product(EQUAL_HASH, repeat=3), size // 140)]
    return _document([[_sum((_set([*values, 0.5 + k % 3]), 1.0 + k) for k, values in enumerate(sets))]])


@giant
def terms_filled_twice_with_other_fills(size: int) -> Giant:
    return _document([[_fit(size, lambda n: _sum((_filled("x", k), 1.0) for k in range(n)))]])


@giant
def terms_of_an_unknown_column_among_many(size: int) -> Giant:
    columns = _fit(size // 2, lambda n: [_column(f"x{k}") for k in range(n)])
    return _document([[_sum([(f"x{len(columns)}y", 1.0)])]], columns)


@giant
def terms_all_unknown_to_the_columns(size: int) -> Giant:
    columns = _fit(size // 2, lambda n: [_column(f"x{k}") for k in range(n)])
    return _document([[_fit(size // 2, lambda n: _sum((f"y{k}", 1.0) for k in range(n)))]], columns)


# -- names -------------------------------------------------------------------------------------------


@giant
def name_unknown_and_long(size: int) -> Giant:
    return _document([[{"kind": "known", "column": "ab" * (size // 5)}]], [_column("ba" * (size // 5))])


@giant
def name_unknown_of_many_letters(size: int) -> Giant:
    rng = Random(0)  # none of 150 letters is so frequent that it is passed over when names are compared
    name = "".join(chr(0x4E00 + rng.randrange(150)) for _ in range(size // 14))
    other = "".join(letter if k % 3 else chr(ord(letter) + 1) for k, letter in enumerate(name))
    return _document([[{"kind": "known", "column": name}]], [_column(other)])


@giant
def names_unknown_and_alike(size: int) -> Giant:
    columns = _fit(size, lambda n: [_column(f"{'ab' * 40}{k}") for k in range(n)])
    return _document([[{"kind": "known", "column": "ab" * 40}]], columns)


@giant
def name_long(size: int) -> Giant:
    return _document([[{"kind": "known", "column": "x" * size}]])


@giant
def name_of_digits(size: int) -> Giant:
    return _document([[{"kind": "known", "column": "9" * size}]])


@giant
def name_of_letters_and_digits(size: int) -> Giant:
    return _document([[{"kind": "known", "column": "a1" * (size // 2)}]])


@giant
def names_long_repeated_in_rules(size: int) -> Giant:
    return _document([[_sum([("x0" * 2500, float(k))], k)] for k in range(1, size // 5200)])


@giant
def columns_repeated(size: int) -> Giant:
    return _document([], _fit(size, lambda n: [_column("x")] * n))


@giant
def columns_many(size: int) -> Giant:
    return _document([], _fit(size, lambda n: [_column(f"x{k}") for k in range(n)]))


@giant
def column_of_categories(size: int) -> Giant:
    categories = _fit(size, lambda n: [f"c{k}" for k in range(n)])
    return _document([[_set(["c1"])]], [_column("c", kind="categorical", categories=categories)])


@giant
def column_of_categories_and_codes_of_equal_hash(size: int) -> Giant:
    numbers = _fit(size // 2, lambda n: [k * MODULUS for k in range(n)])
    column = _column("c", kind="categorical", categories=numbers, missing_values=numbers)
    return _document([[_set([MODULUS])]], [column])


@giant
def column_of_categories_repeated(size: int) -> Giant:
    return _document([], [_column("c", kind="categorical", categories=["a"] * (size // 4))])


# -- sets --------------------------------------------------------------------------------------------


@giant
def set_of_equal_hash(size: int) -> Giant:
    return _document([[_fit(size, lambda n: _set(k * MODULUS for k in range(n)))]])


@giant
def set_that_meets_in_the_table(size: int) -> Giant:
    return _document([[_fit(size, lambda n: _set(k << 40 for k in range(n)))]])


@giant
def set_of_texts(size: int) -> Giant:
    return _document([[_fit(size, lambda n: _set(f"{k:x}" for k in range(n)))]])


@giant
def set_of_one_repeated(size: int) -> Giant:
    return _document([[_set([1] * (size // 2))]])


@giant
def set_of_long_numbers(size: int) -> Giant:
    return _document([[_fit(size, lambda n: _set(10**300 + k for k in range(n)))]])


@giant
def set_of_numbers_too_long(size: int) -> Giant:
    return "file", _document([[_set(["?"])]])[1].replace('"?"', ",".join(["9" * 4000] * (size // 4100)))


@giant
def set_of_numbers_longer_than_python_reads(size: int) -> Giant:
    return "file", _document([[_set(["?"])]])[1].replace('"?"', "9" * size)


@giant
def sets_of_equal_hash(size: int) -> Giant:
    sets = [_set([float(value) for value in values]) for values in islice(product(EQUAL_HASH, repeat=3), size // 130)]
    return _document([[one] for one in sets])


# -- rules and classes -------------------------------------------------------------------------------


@giant
def rules_empty(size: int) -> Giant:
    return _document([[]] * (size // 3))


@giant
def rules_of_the_same_literal(size: int) -> Giant:
    return _document(_fit(size, lambda n: [[KNOWN]] * n))


@giant
def rules_of_one_literal(size: int) -> Giant:
    return _document(_fit(size, lambda n: [[{"kind": "known", "column": f"x{k}"}] for k in range(n)]))


@giant
def rule_of_literals_of_equal_hash(size: int) -> Giant:
    numbers = islice(product(EQUAL_HASH, repeat=4), size // 160)
    return _document([[_sum([("x", a), ("y", b), ("z", c)], d) for a, b, c, d in numbers]])


@giant
def rules_of_equal_hash(size: int) -> Giant:
    numbers = islice(product(EQUAL_HASH, repeat=4), size // 160)
    return _document([[_sum([("x", a), ("y", b), ("z", c)], d)] for a, b, c, d in numbers])


@giant
def rules_with_counts(size: int) -> Giant:
    rules = _fit(int(0.6 * size), lambda n: [[{"kind": "known", "column": f"x{k}"}] for k in range(n)])
    return _document(rules, None, _training([ONE] * len(rules), [[[1, 1.0]] * 2] * 2))


@giant
def rules_with_counts_of_equal_hash(size: int) -> Giant:
    rules = [
        [_sum([("x", a), ("y", b), ("z", c)], d)] for a, b, c, d in islice(product(EQUAL_HASH, repeat=4), size // 200)
    ]
    return _document(rules, None, _training([ONE] * len(rules), [[[1, 1.0]] * 2] * 2))


@giant
def rules_of_fills_of_equal_hash(size: int) -> Giant:
    fills = islice(product(EQUAL_HASH, repeat=3), size // 240)
    return _document(
        [[_sum((_filled(name, fill), 1) for name, fill in zip("xyz", each, strict=True))] for each in fills]
    )


@giant
def rules_with_counts_and_fills_of_equal_hash(size: int) -> Giant:
    fills = list(islice(product(EQUAL_HASH, repeat=3), size // 280))
    rules = [[_sum((_filled(name, fill), 1) for name, fill in zip("xyz", each, strict=True))] for each in fills]
    return _document(rules, None, _training([ONE] * len(rules), [[[1, 1.0]] * 2] * 2))


@giant
def rules_each_longer_than_the_last(size: int) -> Giant:
    return _document([[{"kind": "known", "column": f"x{k}"} for k in range(n)] for n in range(int((size / 17) ** 0.5))])


@giant
def rules_after_a_long_label(size: int) -> Giant:
    rules = _fit(size // 2, lambda n: [[{"kind": "known", "column": f"x{k}"}] for k in range(n)])
    return _document(rules, label="y" * (size // 2))


@giant
def classes_many(size: int) -> Giant:
    return _classes(_fit(size, lambda n: [{"label": k, "rules": []} for k in range(n)]))


@giant
def classes_with_counts(size: int) -> Giant:
    classes = _fit(int(0.6 * size), lambda n: [{"label": k, "rules": [[KNOWN]]} for k in range(n)])
    return _classes(classes, training=_training([ONE] * len(classes), None))


@giant
def classes_with_all_that_they_decide(size: int) -> Giant:
    n = int((0.08 * size) ** 0.5)
    classes = [{"label": k, "rules": [[KNOWN]]} for k in range(n)]
    return _classes(classes, training=_training([ONE] * n, [[[0, 0.0]] * (n + 1)] * (n + 1)))


@giant
def classes_of_equal_hash(size: int) -> Giant:
    return _classes(_fit(size, lambda n: [{"label": k * MODULUS, "rules": []} for k in range(n)]))


@giant
def classes_the_last_repeated(size: int) -> Giant:
    labels = _fit(size, lambda n: [{"label": f"a{min(k, n - 2)}", "rules": []} for k in range(n)])
    return _classes(labels)


def _levels(levels: object, **fields: object) -> Giant:
    content = {"format": "r2n risk levels", "version": 1, "levels": levels, "lowest": {"name": "z", "share": 0.0}}
    said = {"positive": "yes", "negative": "no", "threshold": 0.5, "columns": None, "training": None}
    return "file", _dump(content | said | fields)


def _level(k: int, n: int) -> dict[str, object]:
    return {"name": f"a{k}", "share": (n - k) / n, "rules": []}


@giant
def levels_many(size: int) -> Giant:
    return _levels(_fit(size, lambda n: [_level(k, n) for k in range(n)]))


@giant
def levels_the_last_repeated(size: int) -> Giant:
    return _levels(_fit(size, lambda n: [_level(min(k, n - 2), n) for k in range(n)]))


@giant
def levels_with_counts(size: int) -> Giant:
    levels = _fit(size // 2, lambda n: [_level(k, n) | {"rules": [[KNOWN]]} for k in range(n)])
    decided = [[[0, 0.0], [0, 0.0]]] * (len(levels) + 1)
    return _levels(levels, training=_training([ONE] * len(levels), decided))


@giant
def levels_of_long_names(size: int) -> Giant:
    return _levels([{"name": "a" * (size // 3), "share": 1, "rules": []}, {"name": "b" * (size // 3), "share": 0.5,
                                                                           "rules": []}])  # fmt: skip


# -- JSON --------------------------------------------------------------------------------------------


@giant
def json_of_empty_lists(size: int) -> Giant:
    return "file", f"[{','.join(['[]'] * (size // 3))}]"


@giant
def json_of_empty_objects(size: int) -> Giant:
    return _document([[{}] * (size // 3)])


@giant
def json_of_lists_in_lists(size: int) -> Giant:
    return _document([[[[]]]] * (size // 9))


@giant
def json_deep(size: int) -> Giant:
    return "file", "[" * size


@giant
def json_deep_and_closed(size: int) -> Giant:
    return "file", "[" * (size // 2) + "]" * (size // 2)


@giant
def json_deep_in_a_rule(size: int) -> Giant:
    return "file", _document(["?"])[1].replace('"?"', "[" * (size // 2) + "]" * (size // 2))


@giant
def json_deep_but_not_too_deep_in_a_literal(size: int) -> Giant:
    return "file", _document([["?"]])[1].replace('"?"', "[" * 400 + "]" * 400)


@giant
def json_of_objects_in_objects(size: int) -> Giant:
    return "file", '{"a":' * (size // 5)


@giant
def json_of_many_fields(size: int) -> Giant:
    return "file", _dump({str(k): k for k in range(size // 16)})


@giant
def json_of_a_field_repeated(size: int) -> Giant:
    return "file", "{" + ",".join(['"a":1'] * (size // 6)) + "}"


@giant
def json_of_nan(size: int) -> Giant:
    return "file", _document([[_sum([("x", 1.0)])]])[1].replace("1.0", "NaN")


@giant
def json_of_a_float_with_many_digits(size: int) -> Giant:
    return "file", _document([[_sum([("x", 1.0)], 0.5)]])[1].replace("0.5", "0." + "1" * size)


@giant
def json_of_a_float_with_many_zeros(size: int) -> Giant:
    return "file", _document([[_sum([("x", 1.0)], 0.5)]])[1].replace("0.5", f"1{'0' * size}.5e-{size}")


@giant
def json_of_a_float_beyond_all(size: int) -> Giant:
    return "file", _document([[_sum([("x", 1.0)], 0.5)]])[1].replace("0.5", "1e400")


@giant
def json_of_an_exponent_with_many_digits(size: int) -> Giant:
    return "file", _document([[_sum([("x", 1.0)], 0.5)]])[1].replace("0.5", f"1e{'9' * size}")


@giant
def json_of_long_floats(size: int) -> Giant:
    numbers = ",".join([f"0.{'3' * 790}{k}" for k in range(size // 830)])
    return "file", _document([[_set(["?"])]])[1].replace('"?"', numbers)


@giant
def json_of_spaces(size: int) -> Giant:
    return "file", " " * size


@giant
def json_of_escapes(size: int) -> Giant:
    return "file", '["' + "\\u0041" * (size // 6) + '"]'


@giant
def json_wrong_in_everything(size: int) -> Giant:
    return _document([["x" * size]])


@giant
def json_version_long(size: int) -> Giant:
    return "file", _document([])[1].replace(":4,", f":{'4' * 4000},")


# -- texts -------------------------------------------------------------------------------------------


@giant
def text_of_terms_the_last_repeated(size: int) -> Giant:
    terms = [f"x{k}" for k in range(size // 9)]
    return "rules", f"yes if {' + '.join([*terms, terms[-1]])} > 1 else no"


@giant
def text_of_terms(size: int) -> Giant:
    return "rules", f"yes if {'+'.join(f'{k}*x{k}' for k in range(1, size // 14))} > 1 else no"


@giant
def text_of_rules(size: int) -> Giant:
    return "rules", f"yes if {' or '.join(f'x{k}>1' for k in range(size // 12))} else no"


@giant
def text_of_as_many_rules_as_are_read(size: int) -> Giant:
    return "rules", f"yes if {' or '.join(f'x{k}>1' for k in range(min(12_000, size // 11)))} else no"


@giant
def text_of_as_many_long_rules_as_are_read(size: int) -> Giant:
    rules = (f"{'a1' * 35}{k} > {k / 7!r}" for k in range(min(10_000, size // 97)))
    return "rules", f"yes if {' or '.join(rules)} else no"


@giant
def text_of_as_many_literals_as_are_read(size: int) -> Giant:
    literals = [f"x{k % 50}>{k}" for k in range(min(12_000, size // 13))]
    return (
        "rules",
        f"yes if {' or '.join(' and '.join(literals[k : k + 9]) for k in range(0, len(literals), 9))} else no",
    )


@giant
def text_of_as_many_terms_as_are_read(size: int) -> Giant:
    return "rules", f"yes if {'+'.join(f'{k}*x{k}' for k in range(1, min(12_000, size // 12)))} > 1 else no"


@giant
def text_of_as_many_categories_as_are_read(size: int) -> Giant:
    return "rules", f"yes if c in {{{','.join(f'a{k:035}' for k in range(min(24_000, size // 37)))}}} else no"


@giant
def text_of_as_many_numbers_of_equal_hash_as_are_read(size: int) -> Giant:
    return "rules", f"yes if c in {{{','.join(str(k * MODULUS) for k in range(min(24_000, size // 24)))}}} else no"


@giant
def text_of_as_many_classes_as_are_read(size: int) -> Giant:
    return "classes", "".join(f"{k} if x>1 else " for k in range(min(8_000, size // 17))) + "z"


@giant
def text_of_the_same_rule(size: int) -> Giant:
    return "rules", f"yes if {' or '.join(['x>1'] * (size // 7))} else no"


@giant
def text_of_true(size: int) -> Giant:
    return "rules", f"yes if {' or '.join(['true'] * (size // 8))} else no"


@giant
def text_of_the_same_literal(size: int) -> Giant:
    return "rules", f"yes if {' and '.join(['x>1'] * (size // 8))} else no"


@giant
def text_of_literals_of_equal_hash(size: int) -> Giant:
    numbers = islice(product(EQUAL_HASH, repeat=4), size // 50)
    literals = (f"{a!r}*x+{b!r}*y+{c!r}*z>{d!r}" for a, b, c, d in numbers)
    return "rules", f"yes if {' and '.join(literals)}"[: size - 100].rpartition(" and ")[0] + " else no"


@giant
def text_of_classes(size: int) -> Giant:
    return "classes", "".join(f"{k} if x>1 else " for k in range(size // 18)) + "z"


@giant
def text_of_a_class_repeated(size: int) -> Giant:
    return "classes", "a if x>1 else " * (size // 14) + "z"


@giant
def text_of_a_set(size: int) -> Giant:
    return "rules", f"yes if c in {{{','.join(map(str, range(size // 7)))}}} else no"


@giant
def text_of_a_set_of_one(size: int) -> Giant:
    return "rules", f"yes if c in {{{','.join('1' * (size // 2))}}} else no"


@giant
def text_of_a_set_of_equal_hash(size: int) -> Giant:
    return "rules", f"yes if c in {{{','.join(str(k * MODULUS) for k in range(size // 25))}}} else no"


@giant
def text_of_signs(size: int) -> Giant:
    return "rules", "yes if " + ">" * size


@giant
def text_of_minus_signs(size: int) -> Giant:
    return "rules", "yes if " + "-" * size


@giant
def text_of_brackets(size: int) -> Giant:
    return "rules", f"yes if {'(' * (size // 2)}x{')' * (size // 2)} > 1 else no"


@giant
def text_of_commas(size: int) -> Giant:
    return "rules", "yes if x > 1" + "," * size


@giant
def text_of_names(size: int) -> Giant:
    return "rules", "yes if " + "x " * (size // 2)


@giant
def text_of_a_quote_never_closed(size: int) -> Giant:
    return "rules", 'yes if "' + "a" * size


@giant
def text_of_backslashes_never_closed(size: int) -> Giant:
    return "rules", 'yes if "' + "\\" * size


@giant
def text_of_quotes(size: int) -> Giant:
    return "rules", "yes if " + '"' * size


@giant
def text_of_wrong_escapes(size: int) -> Giant:
    return "rules", 'yes if "' + "\\q" * (size // 2) + '" > 1 else no'


@giant
def text_of_a_long_name(size: int) -> Giant:
    return "rules", f"yes if {'x' * size} > 1 else no"


@giant
def text_of_a_long_name_alone(size: int) -> Giant:
    return "rule", "x" * size


@giant
def text_of_a_long_number(size: int) -> Giant:
    return "rules", f"yes if x > {'9' * size} else no"


@giant
def text_of_a_long_label(size: int) -> Giant:
    return "rules", f"{'9' * size} if x > 1 else no"


@giant
def text_of_a_long_fraction(size: int) -> Giant:
    return "rules", f"yes if x > 0.{'3' * size} else no"


@giant
def text_of_points(size: int) -> Giant:
    return "rules", "yes if x > " + "." * size


@giant
def text_of_exponents(size: int) -> Giant:
    return "rules", "yes if x > 1" + "e" * size


@giant
def text_of_spaces(size: int) -> Giant:
    return "rules", " " * size


@giant
def text_of_lines(size: int) -> Giant:
    return "rules", "yes if x > 1" + "\n" * size + "?"


@giant
def text_of_one_label_twice(size: int) -> Giant:
    return "rules", f"{'a' * (size // 2)} if x > 1 else {'a' * (size // 2)}"


@giant
def text_of_levels(size: int) -> Giant:
    n = min(size // 30, 5_000)
    levels = (f"a{k} {100 * (n - k) / n!r} % {'or else ' if k else ''}if x > {k}" for k in range(n))
    return "levels", f"{' '.join(levels)} z 0 % else yes from 50 %, else no"


@giant
def text_of_a_level_of_many_words(size: int) -> Giant:
    return "levels", f"{'very ' * min(size // 5, 49_000)}high 5 % if x > 1 z 0 % else yes from 50 %, else no"


@giant
def text_of_a_share_of_many_digits(size: int) -> Giant:
    return "levels", f"a 0.{'9' * (size // 2)}e{'9' * (size // 2)} % if x > 1 z 0 % else yes from 50 %, else no"


@giant
def text_of_combining_marks(size: int) -> Giant:
    return "rules", "yes if x" + "\u0301" * (size // 2) + " > 1 else no"


# -- texts about known columns -----------------------------------------------------------------------


def _about(columns: list[dict[str, object]], text: str) -> Giant:
    return "rules with schema", f"{_dump(columns)}\n{text}"


@giant
def column_unknown_and_long(size: int) -> Giant:
    return _about([_column("ab" * (size // 5))], f"yes if {'ba' * (size // 5)} > 1 else no")


@giant
def column_unknown_among_many(size: int) -> Giant:
    columns = _fit(size, lambda n: [_column(f"column{k}") for k in range(n)])
    return _about(columns, "yes if column > 1 else no")


@giant
def column_unknown_among_many_alike(size: int) -> Giant:
    columns = _fit(
        size, lambda n: [_column("ab" * 20 + f"{k:b}".replace("0", "a").replace("1", "b")) for k in range(n)]
    )
    return _about(columns, f"yes if {'ba' * 20} > 1 else no")


@giant
def category_unknown_among_many(size: int) -> Giant:
    column = _column("c", kind="categorical", categories=_fit(size, lambda n: [f"category{k}" for k in range(n)]))
    return _about([column], "yes if c in {category} else no")


@giant
def category_unknown_and_long(size: int) -> Giant:
    column = _column("c", kind="categorical", categories=["ab" * (size // 5)])
    return _about([column], f"yes if c in {{{'ba' * (size // 5)}}} else no")


@giant
def categories_all_known(size: int) -> Giant:
    known = _fit(size // 2, lambda n: [f"c{k}" for k in range(n)])
    column = _column("c", kind="categorical", categories=known, missing_values=["?"])
    return _about([column], f"yes if c in {{{','.join(known)}}} else no")


@giant
def categories_known_beside_many_codes(size: int) -> Giant:
    known = _fit(size // 3, lambda n: [k * MODULUS for k in range(n)])
    column = _column("c", kind="categorical", categories=known, missing_values=[-1 - code for code in known])
    return _about([column], f"yes if c in {{{','.join(map(str, known))}}} else no")


@giant
def categories_known_to_the_last(size: int) -> Giant:
    known = [f"c{k}" for k in range(min(20_000, size // 15))]
    column = _column("c", kind="categorical", categories=known, missing_values=["?"])
    return _about([column], f"yes if c in {{{','.join(known)}}} or c in {{c1}} else no")


@giant
def category_where_it_is_compared(size: int) -> Giant:
    column = _column("c", kind="categorical", categories=["a" * size])
    return _about([column], "yes if c > 1 else no")


@giant
def ratio_over_a_long_name(size: int) -> Giant:
    name = "x" * (size // 2)
    return _about([_column("y"), _column(name, low=-1, high=1)], f"yes if y/{name} > 1 else no")
