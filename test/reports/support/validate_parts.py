"""Validates parts of workbooks against the schemas of the standard (ECMA-376, transitional).

Usage: validate_parts.py FOLDER < parts, one per line, each XML without line breaks; prints one line per part: the first
schema error, or nothing. FOLDER holds the .xsd files of parts 2 and 4, in any subfolders.
"""

import pathlib
import sys

from lxml import etree

MAIN = "http://schemas.openxmlformats.org/"
FILES = {
    MAIN + "spreadsheetml/2006/main": "sml.xsd",
    MAIN + "drawingml/2006/main": "dml-main.xsd",
    MAIN + "drawingml/2006/chart": "dml-chart.xsd",
    MAIN + "drawingml/2006/spreadsheetDrawing": "dml-spreadsheetDrawing.xsd",
    MAIN + "officeDocument/2006/extended-properties": "shared-documentPropertiesExtended.xsd",
    MAIN + "package/2006/content-types": "opc-contentTypes.xsd",
    MAIN + "package/2006/relationships": "opc-relationships.xsd",
}
IGNORABLE = "{" + MAIN + "markup-compatibility/2006}Ignorable"
SPACE = "{http://www.w3.org/XML/1998/namespace}space"


def schemas(folder):
    paths = {path.name: path for path in pathlib.Path(folder).rglob("*.xsd")}
    return {space: etree.XMLSchema(etree.parse(str(paths[file]))) for space, file in FILES.items()}


def stripped(root):
    """Removes ignorable attributes, and xml:space, which the schema omits."""
    passed = {root.nsmap.get(prefix) for prefix in root.attrib.pop(IGNORABLE, "").split()}
    for element in root.iter():
        for name, value in element.attrib.items():
            if etree.QName(name).namespace in passed or (name == SPACE and value == "preserve"):
                del element.attrib[name]
    return root


def verdict(line, known):
    root = stripped(etree.fromstring(line.encode()))
    schema = known[etree.QName(root).namespace]
    return "" if schema.validate(root) else str(schema.error_log[0].message).replace("\n", " ")


known = schemas(sys.argv[1])
for line in sys.stdin:
    print(verdict(line, known))
