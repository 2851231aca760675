"""Reads workbooks with openpyxl and prints their cells as JSON, as an independent reader for the tests.

Usage: read_workbook.py FILE... ; one line of JSON per file:
{"sheets": {name: {address: {"f": formula or null, "v": value, "t": type}}}, "links": [...]}

Usage: read_workbook.py --values FILE... ; the same without formulas and links, in a quarter of the time.
"""

import datetime
import json
import sys

import openpyxl

EPOCH = datetime.datetime(1899, 12, 30)


def plain(value):
    if isinstance(value, datetime.datetime):
        return (value - EPOCH).total_seconds() / 86400
    if isinstance(value, (datetime.date, datetime.time, datetime.timedelta)):
        return str(value)
    return value


def formula(value):
    """Newer releases wrap array formulas, older ones do not."""
    return getattr(value, "text", value)


def cells(formulas, values):
    found = {}
    for row in formulas.iter_rows():
        for cell in row:
            if cell.value is None:
                continue
            shown = values[cell.coordinate]
            is_formula = cell.data_type == "f"
            found[cell.coordinate] = {
                "f": formula(cell.value) if is_formula else None,
                "v": plain(shown.value),
                "t": shown.data_type,
            }
    return found


def read_values(path):
    sheets = {}
    for sheet in openpyxl.load_workbook(path, data_only=True, read_only=True):
        # Else it would trust the size that the file states.
        sheet.reset_dimensions()
        sheets[sheet.title] = {
            cell.coordinate: {"f": None, "v": plain(cell.value), "t": cell.data_type}
            for row in sheet.iter_rows()
            for cell in row
            if cell.value is not None
        }
    return {"sheets": sheets, "links": []}


def read(path):
    formulas = openpyxl.load_workbook(path)
    values = openpyxl.load_workbook(path, data_only=True)
    return {
        "sheets": {sheet.title: cells(sheet, values[sheet.title]) for sheet in formulas},
        "links": [
            cell.hyperlink.target or cell.hyperlink.location
            for sheet in formulas
            for row in sheet.iter_rows()
            for cell in row
            if cell.hyperlink is not None
        ],
    }


values_only = sys.argv[1] == "--values"
for path in sys.argv[1 + values_only :]:
    print(json.dumps(read_values(path) if values_only else read(path)))
