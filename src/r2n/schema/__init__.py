"""Tables: reading them, remembering what was in their columns, checking later ones against it, scaling."""

from r2n.schema.columns import Column, Schema
from r2n.schema.reading import has_text_names, same_names
from r2n.schema.scaling import Scaling
from r2n.schema.table import Table
from r2n.schema.values import Value, as_value, value_key

__all__ = ["Column", "Scaling", "Schema", "Table", "Value", "as_value", "has_text_names", "same_names", "value_key"]
