"""Tables: reading them, remembering what was in their columns, checking later ones against it, scaling."""

from r2n.table.cells import Value, as_value, value_key
from r2n.table.column import Column
from r2n.table.read import has_text_names, same_names
from r2n.table.scaling import Scaling
from r2n.table.schema import Schema
from r2n.table.table import Table

__all__ = ["Column", "Scaling", "Schema", "Table", "Value", "as_value", "has_text_names", "same_names", "value_key"]
