"""Where exported rules are run: two databases in this process, one server, two interpreters."""

from __future__ import annotations

import json
import math
import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from r2n.export import export
from r2n.rules import ClassRules, RuleSet

Columns = dict[str, list[Any]]
# For each row the label and the number of the rule that decides.
Decisions = list[tuple[Any, int]]

SQL_TYPES = {"number": "DOUBLE PRECISION", "integer": "BIGINT", "text": "TEXT", "boolean": "BOOLEAN"}


def queries(rules: RuleSet | ClassRules, dialect: str) -> list[str]:
    """The label, the rule's number, and for rules of one class the condition, which must say the same."""
    forms = ["case", "rule"] + ["condition"] * isinstance(rules, RuleSet)
    return [str(export(rules, "sql", dialect=dialect, form=form)) for form in forms]


def agreed(rules: RuleSet | ClassRules, rows: Sequence[Sequence[Any]]) -> Decisions:
    """What came back, after a look at the condition."""
    if isinstance(rules, RuleSet):
        for row in rows:
            assert row[2] is not None, "a condition is never NULL"
            assert bool(row[2]) == (row[1] > 0)
    return [(row[0], row[1]) for row in rows]


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


# -- databases in this process ----------------------------------------------------------------------


class DuckDB:
    dialect = "duckdb"

    def __init__(self) -> None:
        self.connection = duckdb.connect()

    def decide(self, rules: RuleSet | ClassRules, columns: Columns, types: dict[str, str]) -> Decisions:
        return self.run(rules, columns, types, queries(rules, self.dialect))

    def run(self, rules: RuleSet | ClassRules, columns: Columns, types: dict[str, str], sql: list[str]) -> Decisions:
        arrow = {"number": pa.float64(), "integer": pa.int64(), "text": pa.string(), "boolean": pa.bool_()}
        # From Arrow a NaN stays one; from pandas it would be a NULL.
        table = pa.table({name: pa.array(cells, arrow[types[name]]) for name, cells in columns.items()})
        self.connection.register("rows", table)
        return agreed(rules, self.connection.execute(f"SELECT {', '.join(sql)} FROM rows").fetchall())


class SQLite:
    dialect = "sqlite"

    def __init__(self) -> None:
        self.connection = sqlite3.connect(":memory:")

    def decide(self, rules: RuleSet | ClassRules, columns: Columns, types: dict[str, str]) -> Decisions:
        declared = ", ".join(f"{quoted(name)} {SQL_TYPES[types[name]]}" for name in columns)
        self.connection.execute("DROP TABLE IF EXISTS rows_")
        self.connection.execute(f"CREATE TABLE rows_ ({declared})")
        marks = ", ".join("?" * len(columns))
        self.connection.executemany(f"INSERT INTO rows_ VALUES ({marks})", zip(*columns.values(), strict=True))
        sql = ", ".join(queries(rules, self.dialect))
        return agreed(rules, self.connection.execute(f"SELECT {sql} FROM rows_ ORDER BY rowid").fetchall())


class SQLiteTexts(SQLite):
    """Every column is one of text, as `.import` makes it of a CSV file."""

    def decide(self, rules: RuleSet | ClassRules, columns: Columns, types: dict[str, str]) -> Decisions:
        texts = {
            name: [None if cell is None else self._text(cell) for cell in cells] for name, cells in columns.items()
        }
        return super().decide(rules, texts, dict.fromkeys(types, "text"))

    def reads(self, cell: float | None) -> bool:
        """Whether a number is the same to SQLite."""
        if cell is None or math.isnan(cell):
            return True
        return bool(self.connection.execute("SELECT CAST(? AS REAL)", (self._text(cell),)).fetchone() == (cell,))

    def _text(self, cell: Any) -> str:
        return "NaN" if cell != cell else str(cell)


class Transpiled(DuckDB):
    """SQL for a database that is not here, read back by sqlglot and run in DuckDB."""

    def __init__(self, dialect: str) -> None:
        super().__init__()
        self.dialect = dialect

    def decide(self, rules: RuleSet | ClassRules, columns: Columns, types: dict[str, str]) -> Decisions:
        import sqlglot

        sql = [sqlglot.transpile(text, self.dialect, "duckdb")[0] for text in queries(rules, self.dialect)]
        return self.run(rules, columns, types, sql)


# -- other processes, which stay open: a law starts them once ---------------------------------------


class Process:
    """A program that reads requests, line by line, and writes answers."""

    def __init__(self, *words: str, **how: Any) -> None:
        self.process = subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", **how
        )

    def ask(self, request: str, last: str = "\n") -> str:
        """The answer up to the line that ends it, or one line."""
        self.process.stdin.write(request + "\n")
        self.process.stdin.flush()
        lines: list[str] = []
        while not lines or not lines[-1].endswith(last):
            lines.append(self.process.stdout.readline())
            assert lines[-1], f"the program ended: {''.join(lines)}"
        return "".join(lines).removesuffix(last)

    def close(self) -> None:
        self.process.stdin.close()
        self.process.wait(timeout=20)
        self.process.stdout.close()


class PostgreSQL(Process):
    dialect = "postgresql"

    def __init__(self, psql: Path, socket: Path, user: str) -> None:
        super().__init__(str(psql), "-qAtX", "-h", str(socket), "-U", user, "-d", "postgres")

    def decide(self, rules: RuleSet | ClassRules, columns: Columns, types: dict[str, str]) -> Decisions:
        declared = ", ".join(f"{quoted(name)} {SQL_TYPES[types[name]]}" for name in columns)
        rows = zip(range(len(next(iter(columns.values())))), *columns.values(), strict=True)
        answer = self.ask(
            "SET client_min_messages = error; DROP TABLE IF EXISTS rows_;\n"
            f"CREATE TEMPORARY TABLE rows_ (row_ INTEGER, {declared});\n"
            "COPY rows_ FROM STDIN;\n"
            + "".join("\t".join(map(self._cell, row)) + "\n" for row in rows)
            + "\\.\n"
            + f"SELECT JSON_BUILD_ARRAY({', '.join(queries(rules, self.dialect))}) FROM rows_ ORDER BY row_;\n"
            + "\\echo -- that was all --",
            last="-- that was all --\n",
        )
        assert "ERROR" not in answer, answer
        return agreed(rules, [json.loads(line) for line in answer.split("\n")[:-1]])

    def _cell(self, cell: object) -> str:
        if cell is None:
            return "\\N"
        escapes = {"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"}
        return "".join(escapes.get(sign, sign) for sign in str(cell))


class Interpreter(Process):
    """Runs a source with `predict` and `rule` on rows; it gets both as JSON, a NaN as the text NAN."""

    to: str
    NAN = "\0NaN"

    def decide(self, rules: RuleSet | ClassRules, columns: Columns, types: dict[str, str]) -> Decisions:
        names, cells = list(columns), zip(*columns.values(), strict=True)
        rows = [dict(zip(names, map(self._cell, row), strict=True)) for row in cells]
        return self.run(str(export(rules, self.to)), rows)

    def run(self, source: str, rows: list[dict[str, Any]]) -> Decisions:
        answer = json.loads(self.ask(json.dumps([source, rows])))
        assert isinstance(answer, list), answer
        return [(label, number) for label, number in answer]

    def _cell(self, cell: object) -> object:
        return self.NAN if isinstance(cell, float) and math.isnan(cell) else cell


class BarePython(Interpreter):
    """No site packages, no environment, and for the source not even `import`."""

    to = "python"
    CODE = """
import builtins, json, sys
names = {name: value for name, value in vars(builtins).items() if name not in ("__import__", "open", "eval", "exec")}
for line in sys.stdin:
    source, rows = json.loads(line)
    try:
        module = {"__builtins__": names}
        exec(source, module)
        rows = [{k: float("nan") if v == "\\0NaN" else v for k, v in row.items()} for row in rows]
        answer = [[module["predict"](row), module["rule"](row)] for row in rows]
    except Exception as error:
        answer = repr(error)
    print(json.dumps(answer), flush=True)
"""

    def __init__(self) -> None:
        super().__init__(sys.executable, "-I", "-S", "-c", self.CODE)


class Node(Interpreter):
    to = "javascript"
    CODE = r"""
const vm = require("vm");
require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
  let answer;
  try {
    const [source, rows] = JSON.parse(line, (key, value) => (value === "\0NaN" ? NaN : value));
    const module = vm.runInNewContext(source + "\n;({ predict, rule })");
    answer = rows.map((row) => [module.predict(row), module.rule(row)]);
  } catch (error) {
    answer = String(error);
  }
  console.log(JSON.stringify(answer));
});
"""

    def __init__(self, node: str) -> None:
        super().__init__(node, "-e", self.CODE)
