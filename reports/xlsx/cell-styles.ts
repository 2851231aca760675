import type ExcelJS from 'exceljs'
import { type Colour, lightColour } from '../../src/tables/look/colours.js'

/** Style of a cell. Style objects are made once and shared, because exceljs caches them by identity. */
export type Style = Readonly<Partial<ExcelJS.Style>>

/** exceljs' default font, in whose digits the widths of columns are counted. */
const FONT = 'Calibri'
export const FONT_POINTS = 11

interface StyleOptions {
  bold?: boolean
  italic?: boolean
  points?: number
  ink?: Colour
  fill?: Colour
  format?: string
  horizontal?: 'left' | 'right' | 'center'
  wrap?: boolean
  line?: boolean
  indent?: number
  underline?: boolean
  /** Vertical alignment at the bottom, as for headers. */
  bottom?: boolean
}

function makeStyle(options: StyleOptions): Style {
  return Object.freeze({
    font: {
      name: FONT,
      family: 2,
      size: options.points ?? FONT_POINTS,
      color: argb(options.ink ?? 'ink'),
      ...(options.bold && { bold: true }),
      ...(options.italic && { italic: true }),
      ...(options.underline && { underline: true }),
    },
    alignment: {
      vertical: options.bottom ? 'bottom' : 'top',
      horizontal: options.horizontal ?? 'left',
      ...(options.wrap && { wrapText: true }),
      ...(options.indent !== undefined && { indent: options.indent }),
    },
    ...(options.fill !== undefined && { fill: solid(options.fill) }),
    ...(options.format !== undefined && { numFmt: options.format }),
    ...(options.line && { border: { bottom: { style: 'hair', color: argb('line') } } }),
  } satisfies Partial<ExcelJS.Style>)
}

/** A colour as exceljs takes it. */
export const argb = (colour: Colour) => ({ argb: lightColour(colour).replace('#', 'FF') })
const solid = (colour: Colour): ExcelJS.Fill => ({ type: 'pattern', pattern: 'solid', fgColor: argb(colour) })

export const plain = makeStyle({})
export const title = makeStyle({ bold: true, points: 16, ink: 'brand' })
export const subtitle = makeStyle({ ink: 'muted' })
export const hint = makeStyle({ ink: 'muted', italic: true })
export const section = makeStyle({ bold: true, points: 13, ink: 'brand' })
const HEADER = { bold: true, ink: 'paper', fill: 'brand', wrap: true, bottom: true } as const
export const header = makeStyle(HEADER)
export const headerRight = makeStyle({ ...HEADER, horizontal: 'right', indent: 1 })
export const body = makeStyle({ line: true })
export const boldBody = makeStyle({ bold: true, line: true })
export const wrapped = makeStyle({ line: true, wrap: true })
export const boldWrapped = makeStyle({ bold: true, line: true, wrap: true })
export const centred = makeStyle({ line: true, horizontal: 'center' })
export const link = makeStyle({ ink: 'link', underline: true, line: true })
/** A fact to read first. */
export const banner = makeStyle({ bold: true, ink: 'badInk', fill: 'bad', wrap: true })
/** What to do, and the facts below it. */
export const decision = makeStyle({ bold: true, points: 12, ink: 'brand', fill: 'band', wrap: true })
export const decisionLabel = makeStyle({ bold: true, ink: 'brand', fill: 'band', wrap: true })
export const decisionText = makeStyle({ fill: 'band', wrap: true })

/** Adds padding to the right of numbers, the width of a minus sign, because text may follow in the next column. */
const padded = (format: string): string => `${format.replaceAll(';', '_-;')}_-`
const numberStyle = (format: string) => makeStyle({ horizontal: 'right', line: true, format: padded(format) })
export const integer = numberStyle('#,##0')
/** Below or above text. */
export const leftNumber = makeStyle({ line: true, format: '0' })
export const percent = numberStyle('0.0%')
/** Differences. */
export const signedInteger = numberStyle('+#,##0;-#,##0;0')
export const signedPrice = numberStyle('+#,##0.00;-#,##0.00;0.00')
export const calendarDate = makeStyle({ line: true, horizontal: 'center', format: 'yyyy-mm-dd' })
export const timestamp = makeStyle({ line: true, format: 'yyyy-mm-dd hh:mm "UTC"' })

/** A change of styles that gives the same object for the same style. */
function variant(change: (style: Style) => Style): (style: Style) => Style {
  const made = new WeakMap<Style, Style>()
  return (style) => {
    const known = made.get(style) ?? Object.freeze(change(style))
    made.set(style, known)
    return known
  }
}
const coloured = (ink: Colour, fill: Colour) =>
  variant((style) => ({ ...style, fill: solid(fill), font: { ...style.font, color: argb(ink) } }))

export const asBold = variant((style) => ({ ...style, font: { ...style.font, bold: true } }))
export const asRight = variant((style) => ({ ...style, alignment: { ...style.alignment, horizontal: 'right' } }))
/** Highlights. Colour never carries information that is not also given as text. */
export const asGood = coloured('goodInk', 'good')
export const asBad = coloured('badInk', 'bad')
/** Of a cell to fill in. */
export const asInput = coloured('inputInk', 'input')
/** Of numbers too long for any column. */
export const asScientific = variant((style) => ({ ...style, numFmt: '0.00E+00' }))

/** The value if it is a currency code that is safe in a number format; otherwise null. */
export const currencyCode = (value: unknown) => (typeof value === 'string' && /^[A-Z]{3}$/.test(value) ? value : null)

const MAX_VOLUME_DECIMALS = 3
/** Cents say nothing about larger totals; the limit is what rounds to 10,000. */
const CENTS_BELOW = 9999.995
/** Negative numbers keep cents: a format has three parts only, and LibreOffice shows no minus sign in the last. */
const TOTAL_FORMAT = `[>=${CENTS_BELOW}]#,##0;[<0]-#,##0.00;#,##0.00`

/** Totals without cents from 10,000 on, in a column whose header names the currency. */
export const total = numberStyle(TOTAL_FORMAT)
/** Prices per tonne, in a column whose header names the currency. */
export const price = numberStyle('#,##0.00')
/** Amounts without cents and prices with their currency, where it differs between rows. */
export const amountIn = byCurrency((prefix) => numberStyle(`${prefix}#,##0`))
export const priceIn = byCurrency((prefix) => numberStyle(`${prefix}#,##0.00`))

/** Tonnes with as many decimals as were sent, at most `MAX_VOLUME_DECIMALS`. */
export function volumeStyle(volumes: Iterable<number | null>): Style {
  const isExact = (value: number, places: number) => Math.abs(Number(value.toFixed(places)) - value) < 0.0005
  let places = 0
  for (const value of volumes)
    while (value !== null && Number.isFinite(value) && places < MAX_VOLUME_DECIMALS && !isExact(value, places)) places++
  return numberStyle(places === 0 ? '#,##0' : `#,##0.${'0'.repeat(places)}`)
}

function byCurrency(make: (prefix: string) => Style): (currency: string | null) => Style {
  const made = new Map<string, Style>()
  return (currency) => {
    const code = currencyCode(currency)
    const prefix = code === null ? '' : `[$${code}] `
    const style = made.get(prefix) ?? make(prefix)
    made.set(prefix, style)
    return style
  }
}
