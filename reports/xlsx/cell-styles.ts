import type ExcelJS from 'exceljs'
import { palette } from '../../src/presentation/palette.js'

/** Style of a cell. Style objects are made once and shared, because exceljs caches them by identity. */
export type Style = Readonly<Partial<ExcelJS.Style>>

/** Arial comes with Excel; elsewhere Liberation Sans has the same metrics, so column widths fit everywhere. */
export const FONT = 'Arial'
export const FONT_POINTS = 10

interface StyleOptions {
  bold?: boolean
  italic?: boolean
  points?: number
  ink?: string
  fill?: string
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
      color: { argb: options.ink ?? palette.ink },
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
    ...(options.line && { border: { bottom: { style: 'hair', color: { argb: palette.line } } } }),
  } satisfies Partial<ExcelJS.Style>)
}

const solid = (argb: string): ExcelJS.Fill => ({ type: 'pattern', pattern: 'solid', fgColor: { argb } })

export const plain = makeStyle({})
export const title = makeStyle({ bold: true, points: 16, ink: palette.head })
export const subtitle = makeStyle({ points: 11, ink: palette.muted })
export const hint = makeStyle({ ink: palette.muted, italic: true })
export const section = makeStyle({ bold: true, points: 12, ink: palette.head })
const HEADER = { bold: true, ink: palette.paper, fill: palette.head, wrap: true, bottom: true }
export const header = makeStyle(HEADER)
export const headerRight = makeStyle({ ...HEADER, horizontal: 'right', indent: 1 })
export const label = makeStyle({ ink: palette.muted, line: true })
export const boldBody = makeStyle({ bold: true, line: true })
export const boldWrapped = makeStyle({ bold: true, line: true, wrap: true })
export const body = makeStyle({ line: true })
export const wrapped = makeStyle({ line: true, wrap: true })
/** Wrapped text to the right of a number. */
export const afterNumber = makeStyle({ line: true, wrap: true, indent: 1 })
export const centred = makeStyle({ line: true, horizontal: 'center' })
export const link = makeStyle({ ink: palette.link, underline: true, line: true })
/** A fact to read first. */
export const banner = makeStyle({ bold: true, points: 12, ink: palette.badInk, fill: palette.bad, wrap: true })
/** Cells of the block that states a decision; `asFramed` draws its frame. */
const DECISION = { fill: palette.band, indent: 1 }
export const decision = makeStyle({ ...DECISION, bold: true, points: 14, ink: palette.head, wrap: true })
export const decisionHead = makeStyle({ ...DECISION, bold: true, ink: palette.head, bottom: true })
export const decisionText = makeStyle({ ...DECISION, wrap: true })

/** Adds padding to the right of numbers, the width of a minus sign: LibreOffice drops a right indent. */
const padded = (format: string): string => `${format.replaceAll(';', '_-;')}_-`
export const withNumberFormat = (style: Style, format: string): Style =>
  Object.freeze({ ...style, numFmt: padded(format) })

const numberStyle = (format: string, more: StyleOptions = {}) =>
  makeStyle({ horizontal: 'right', line: true, format: padded(format), ...more })
export const integer = numberStyle('#,##0')
export const plainNumber = numberStyle('0')
export const percent = numberStyle('0.0%')
export const oneDecimal = numberStyle('0.0')
export const exchangeRate = numberStyle('0.0000##')
export const calendarDate = makeStyle({ line: true, horizontal: 'center', format: 'yyyy-mm-dd' })
export const timestamp = makeStyle({ line: true, format: 'yyyy-mm-dd hh:mm "UTC"' })

/** The style of an input cell: yellow fill, blue text, unlocked. */
export const asInput = (style: Style): Style =>
  Object.freeze({
    ...style,
    fill: solid(palette.input),
    font: { ...style.font, color: { argb: palette.inputInk } },
    border: thinBorder,
    protection: { locked: false },
  })
/** The style aligned right with the padding of a number. */
export function asRight(style: Style): Style {
  const { wrapText } = style.alignment ?? {}
  const indent = style.numFmt === undefined ? { indent: 1 } : {}
  const right = Object.freeze({
    ...style,
    alignment: { horizontal: 'right', vertical: 'top', ...indent, ...(wrapText && { wrapText }) },
  } satisfies Style)
  return style.numFmt === undefined || style.numFmt.endsWith('_-') ? right : withNumberFormat(right, style.numFmt)
}

/** The style aligned left, for figures side by side with texts. */
export function alignLeft(style: Style): Style {
  const known = leftStyles.get(style)
  if (known !== undefined) return known
  const { wrapText } = style.alignment ?? {}
  const left = Object.freeze({
    ...style,
    alignment: { horizontal: 'left', vertical: 'top', ...(wrapText && { wrapText }) },
  } satisfies Style)
  leftStyles.set(style, left)
  return left
}
const leftStyles = new WeakMap<Style, Style>()

export const asBold = (style: Style): Style => Object.freeze({ ...style, font: { ...style.font, bold: true } })

/** What the width of text in a style depends on. */
export const fontOptions = ({ font, alignment }: Style) => ({
  bold: font?.bold === true,
  points: font?.size ?? FONT_POINTS,
  indent: alignment?.indent ?? 0,
})

const thinLine = { style: 'thin', color: { argb: palette.line } } as const
const thinBorder = { top: thinLine, bottom: thinLine, left: thinLine, right: thinLine }

const thickLine = { style: 'medium', color: { argb: palette.head } } as const
type Side = 'top' | 'bottom' | 'left' | 'right'
export const asFramed = (style: Style, sides: readonly Side[]): Style =>
  Object.freeze({ ...style, border: Object.fromEntries(sides.map((side) => [side, thickLine])) })

/** Number format for numbers too long for any column. */
export const scientific: Style = Object.freeze({ numFmt: '0.00E+00' })

/** What a conditional format applies; fills take their colour from `bgColor`. */
const highlight = (ink: string, fill: string, bold = false) => ({
  fill: { ...solid(fill), bgColor: { argb: fill } } as ExcelJS.Fill,
  font: { color: { argb: ink }, ...(bold && { bold }) },
})
export const highlights = {
  good: highlight(palette.goodInk, palette.good, true),
  warn: highlight(palette.warnInk, palette.warn),
  bad: highlight(palette.badInk, palette.bad),
  muted: { font: { color: { argb: palette.muted } } },
} satisfies Record<string, Partial<ExcelJS.Style>>

/** The value if it is a currency code that is safe in a number format; otherwise null. */
export const currencyCode = (value: unknown) => (typeof value === 'string' && /^[A-Z]{3}$/.test(value) ? value : null)

const MAX_VOLUME_DECIMALS = 3
/** Cents say nothing about larger totals; the limit is what rounds to 10,000. */
const CENTS_BELOW = 9999.995
const MAX_PRICE_DECIMALS = 4

/**
 * Number formats that depend on the documents: money by currency, volumes and prices with as many decimals as were
 * sent (at most `MAX_VOLUME_DECIMALS` and `MAX_PRICE_DECIMALS`).
 * @param volumes tonnes as sent
 * @param prices unit prices as sent
 */
export function numberStyles(volumes: Iterable<number | null>, prices: Iterable<number | null>) {
  const priceDecimals = Math.max(2, maxDecimals(prices, MAX_PRICE_DECIMALS))
  return {
    volume: numberStyle(decimalFormat(maxDecimals(volumes, MAX_VOLUME_DECIMALS))),
    /** Totals, without cents from 10,000 on. */
    money: byCurrency((prefix) =>
      numberStyle(centsBelow(CENTS_BELOW, `${prefix}${decimalFormat(2)}`, `${prefix}${decimalFormat(0)}`)),
    ),
    /** Prices per tonne. */
    price: byCurrency((prefix) => numberStyle(`${prefix}${decimalFormat(priceDecimals)}`)),
  }
}

/**
 * A format with cents below a limit and without above. Negative numbers keep cents: a format has three parts only, and
 * LibreOffice shows no minus sign in the last.
 */
const centsBelow = (limit: number, cents: string, whole: string) => `[>=${limit}]${whole};[<0]-${cents};${cents}`

const decimalFormat = (places: number) => (places === 0 ? '#,##0' : `#,##0.${'0'.repeat(places)}`)

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

/** The most decimals that a value needs, within a limit. */
function maxDecimals(values: Iterable<number | null>, limit: number): number {
  const isExact = (value: number, places: number) => Math.abs(Number(value.toFixed(places)) - value) < 10 ** -limit / 2
  let max = 0
  for (const value of values) {
    while (value !== null && Number.isFinite(value) && max < limit && !isExact(value, max)) max++
    if (max === limit) break
  }
  return max
}
