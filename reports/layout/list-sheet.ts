import { cleanText } from '../../src/core/text/clean-text.js'
import { isMoney, isNumeric, type Kind, type Column as ListColumn, type Value } from '../../src/tables/column.js'
import type { List } from '../../src/tables/list.js'
import { formatValue, type PrintedColumn, printColumns } from '../../src/tables/print/format.js'
import { toneOf } from '../../src/tables/print/tones.js'
import * as style from '../xlsx/cell-styles.js'
import { blank, type Cell, date, moment, number, text } from '../xlsx/cells.js'
import type { WriteSheet } from '../xlsx/workbook.js'
import type { Column, Columns } from './columns.js'
import { tableSheet } from './table-sheet.js'

/** A list as a sheet. */
export function listSheet<Row>(
  layout: { subject: string },
  { title, about, rows, columns }: Pick<List<Row>, 'title' | 'about' | 'columns'> & { rows: readonly Row[] },
): WriteSheet {
  const shown = tellingColumns(columns, rows)
  return tableSheet(layout, {
    ...{ name: title, title, note: about, rows, columns: sheetColumns(shown, rows) },
    // What leads to the page of a thing names it.
    frozenColumns:
      Math.max(
        0,
        shown.findIndex(({ link }) => link !== undefined),
      ) + 1,
  })
}

/** Of the columns of a list without rows. */
const MIN_WEIGHT = 7

/** The columns that are not empty in all rows, those of weight 0 last. */
export function tellingColumns<Row>(columns: readonly ListColumn<Row>[], rows: readonly Row[]): ListColumn<Row>[] {
  const isTelling = ({ value, weight }: ListColumn<Row>) =>
    rows.length === 0 ? weight >= MIN_WEIGHT : rows.some((row) => !isEmpty(value(row)))
  const telling = columns.filter(isTelling)
  return [...telling.filter(({ weight }) => weight > 0), ...telling.filter(({ weight }) => weight === 0)]
}

const isEmpty = (value: Value): boolean =>
  value === null || value === '' || (Array.isArray(value) && value.length === 0)

/** The columns of a list as those of a sheet: numbers, dates and moments as such, in the format of their kind. */
export const sheetColumns = <Row>(columns: readonly ListColumn<Row>[], rows: readonly Row[]): Columns<Row> =>
  Object.fromEntries(printColumns(columns, rows).map((each) => [each.column.key, sheetColumn(each, rows)]))

/** Sentences are wider than names. Ids are looked up. */
const [NAME_UNITS, SENTENCE_UNITS, ID_UNITS] = [34, 60, 40]

function sheetColumn<Row>({ column, header }: PrintedColumn<Row>, rows: readonly Row[]): Column<Row> {
  const { kind, value } = column
  const values = rows.map(value)
  const hasOneCurrency = header !== column.header
  const numbers = values.flatMap((each) => (typeof each === 'number' ? [each] : []))
  const isProse = values.some((each) => typeof each === 'string' && each.endsWith('.'))
  const usual = kind === 'tonnes' ? style.volumeStyle(numbers) : STYLES[kind]
  return {
    ...{ header, right: isNumeric(kind) },
    maxWidth: kind === 'id' ? ID_UNITS : isProse ? SENTENCE_UNITS : NAME_UNITS,
    cell: (_, { index }) => cellOf(kind, values[index] ?? null, { usual, hasOneCurrency }),
  }
}

const STYLES: Readonly<Record<Kind, style.Style>> = {
  ...{ text: style.wrapped, id: style.leftNumber, state: style.wrapped, count: style.integer, tonnes: style.integer },
  ...{
    price: style.price,
    money: style.integer,
    percent: style.percent,
    date: style.calendarDate,
    moment: style.timestamp,
  },
}

function cellOf(
  kind: Kind,
  value: Value,
  { usual, hasOneCurrency }: { usual: style.Style; hasOneCurrency: boolean },
): Cell {
  if (value === null || value === '') return blank(usual)
  if (isMoney(value)) {
    if (hasOneCurrency || value.currency === null) return number(value.amount, usual)
    // No number format can show a text that is no currency code.
    if (style.currencyCode(value.currency) === null) return text(formatValue(kind, value), style.asRight(style.body))
    return number(value.amount, kind === 'price' ? style.priceIn(value.currency) : style.amountIn(value.currency))
  }
  if (typeof value === 'number') return number(value, usual)
  if (kind === 'state' || Array.isArray(value)) return wordsCell(kind, [value].flat())
  if (kind === 'date') return date(String(value), usual)
  if (kind === 'moment') return moment(String(value), usual)
  return text(typeof value === 'boolean' ? formatValue(kind, value) : value, isNumeric(kind) ? usual : STYLES.text)
}

function wordsCell(kind: Kind, words: readonly unknown[]): Cell {
  const shown = words.map(cleanText)
  const isBad = kind === 'state' && shown.some((word) => toneOf(word) === 'bad')
  return text(shown.join(', '), isBad ? style.asBad(STYLES.text) : STYLES.text)
}
