"""XML as PMML and DMN are written in."""

from __future__ import annotations

import re
from collections.abc import Mapping
from xml.etree import ElementTree

from r2n.errors import ParameterError
from r2n.table.cells import shown

Element = ElementTree.Element

# What XML 1.0 cannot hold, escaped or not.
_ILLEGAL = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def is_xml(text: str) -> bool:
    r"""Check whether XML can hold the text.

    >>> is_xml("<größe>"), is_xml("\x00"), is_xml("\ud800")
    (True, False, False)
    """
    return _ILLEGAL.search(text) is None


def element(tag: str, attributes: Mapping[str, str] | None = None, *children: Element, text: str = "") -> Element:
    """Make an element with its children; refuse what XML cannot hold."""
    for held in [text, *(attributes or {}).values()]:
        if not is_xml(held):
            raise ParameterError(
                f"{shown(held)} holds a character that XML cannot. Rename the column or category, and fit again."
            )
    made = Element(tag, dict(attributes or {}))
    made.text = text or None
    made.extend(children)
    return made


def document(root: Element) -> str:
    r"""Write the whole as text, indented.

    >>> document(element("Array", text="a\rb")).splitlines()[1]
    '<Array>a&#13;b</Array>'
    """
    ElementTree.indent(root, " ")
    text = ElementTree.tostring(root, encoding="unicode")
    # Every reader of XML takes a carriage return for a line feed, unless it is written as a reference.
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'.replace("\r", "&#13;")
