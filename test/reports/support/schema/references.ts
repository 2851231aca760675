import { type Area, areaOf } from './values.js'

/** A range of cells of a sheet; whole rows or columns extend to the limits of the sheet. */
export interface Reference {
  sheet: string
  area: Area
}

const PART =
  /^(?:'((?:[^']|'')+)'|([\p{L}_][\p{L}\d_.]*))!(?:\$?([A-Z]+)\$?(\d+)(?::\$?([A-Z]+)\$?(\d+))?|\$?([A-Z]+):\$?([A-Z]+)|\$?(\d+):\$?(\d+))(?:,|$)/u

/** Parses `'My sheet'!$A$1:$B$2`, `Sheet!$A:$B`, `Sheet!$1:$3`, or several separated by commas; null for anything else. */
export function referencesIn(text: string): Reference[] | null {
  const found: Reference[] = []
  for (let rest = text; rest !== ''; ) {
    const part = PART.exec(rest)
    const area = part && areaOf(cornersOf(part))
    if (!part || !area) return null
    found.push({ sheet: (part[1] ?? part[2] ?? '').replaceAll("''", "'"), area })
    rest = rest.slice(part[0].length)
  }
  return found.length === 0 ? null : found
}

function cornersOf([, , , column, row, toColumn, toRow, first, last, top, bottom]: RegExpExecArray): string {
  if (first !== undefined) return `${first}1:${last}1048576`
  if (top !== undefined) return `A${top}:XFD${bottom}`
  return toColumn === undefined ? `${column}${row}` : `${column}${row}:${toColumn}${toRow}`
}

const apart = (one: Area, other: Area): boolean =>
  one.right < other.left || other.right < one.left || one.bottom < other.top || other.bottom < one.top

/** The first two overlapping areas. */
export function overlapIn(references: readonly string[]): string | null {
  const areas = references.flatMap((reference) => reference.split(' ')).map((name) => ({ name, area: areaOf(name) }))
  for (const [index, { name, area }] of areas.entries()) {
    const hit = areas.slice(0, index).find((earlier) => area && earlier.area && !apart(area, earlier.area))
    if (hit) return `${hit.name} and ${name}`
  }
  return null
}
