import type ExcelJS from 'exceljs'

/** How a cell looks. Style objects are made once and shared: the writer knows them again by identity. */
export type Style = Readonly<Partial<ExcelJS.Style>>

/** Colours, ARGB. Every one of them stands beside words that say the same. */
export const palette = {
  ink: 'FF1F2933',
  muted: 'FF5F6B76',
  paper: 'FFFFFFFF',
  band: 'FFF3F6F8',
  line: 'FFD3DBE1',
  head: 'FF1D4E5A',
  section: 'FFDCE9EC',
  input: 'FFFFF7D6',
  inputInk: 'FF1746A2',
  link: 'FF0B5CAD',
  good: 'FFE2F2E5',
  goodInk: 'FF1C6432',
  warn: 'FFFFF0D1',
  warnInk: 'FF7F5200',
  bad: 'FFFBE1DE',
  badInk: 'FF99271C',
  /** Bars behind figures: light, so that the figure is read. */
  bar: 'FFC9E2E8',
} as const

/** Arial is where Excel is, and has a metric twin (Liberation Sans) where it is not: widths hold everywhere. */
export const FONT = 'Arial'
export const FONT_POINTS = 10

interface StyleOptions {
  bold?: boolean
  italic?: boolean
  points?: number
  ink?: string
  fill?: string
  format?: string
  across?: 'left' | 'right' | 'center'
  wrap?: boolean
  line?: boolean
  indent?: number
  underline?: boolean
  /** Headers stand right above what they head. */
  down?: boolean
}

function makeStyle(wanted: StyleOptions): Style {
  return Object.freeze({
    font: {
      name: FONT,
      family: 2,
      size: wanted.points ?? FONT_POINTS,
      color: { argb: wanted.ink ?? palette.ink },
      ...(wanted.bold && { bold: true }),
      ...(wanted.italic && { italic: true }),
      ...(wanted.underline && { underline: true }),
    },
    alignment: {
      vertical: wanted.down ? 'bottom' : 'top',
      horizontal: wanted.across ?? 'left',
      ...(wanted.wrap && { wrapText: true }),
      ...(wanted.indent !== undefined && { indent: wanted.indent }),
    },
    ...(wanted.fill !== undefined && { fill: solid(wanted.fill) }),
    ...(wanted.format !== undefined && { numFmt: wanted.format }),
    ...(wanted.line && { border: { bottom: { style: 'hair', color: { argb: palette.line } } } }),
  } satisfies Partial<ExcelJS.Style>)
}

const solid = (argb: string): ExcelJS.Fill => ({ type: 'pattern', pattern: 'solid', fgColor: { argb } })

export const plain = makeStyle({})
export const title = makeStyle({ bold: true, points: 16, ink: palette.head })
export const subtitle = makeStyle({ points: 11, ink: palette.muted })
export const note = makeStyle({ ink: palette.muted, wrap: true })
export const hint = makeStyle({ ink: palette.muted, italic: true })
export const section = makeStyle({ bold: true, points: 12, ink: palette.head })
export const header = makeStyle({ bold: true, ink: palette.paper, fill: palette.head, wrap: true, down: true })
export const headerRight = makeStyle({
  bold: true,
  ink: palette.paper,
  fill: palette.head,
  wrap: true,
  down: true,
  across: 'right',
  indent: 1,
})
export const label = makeStyle({ ink: palette.muted, line: true })
export const boldBody = makeStyle({ bold: true, line: true })
export const boldWrapped = makeStyle({ bold: true, line: true, wrap: true })
export const body = makeStyle({ line: true })
export const wrapped = makeStyle({ line: true, wrap: true })
export const centred = makeStyle({ line: true, across: 'center' })
export const link = makeStyle({ ink: palette.link, underline: true, line: true })
export const good = makeStyle({ bold: true, ink: palette.goodInk, fill: palette.good, line: true, wrap: true })
export const warn = makeStyle({ bold: true, ink: palette.warnInk, fill: palette.warn, line: true, wrap: true })
export const bad = makeStyle({ bold: true, ink: palette.badInk, fill: palette.bad, line: true, wrap: true })

/** Room at the right of a figure, the width of a minus in each part of the format: an indentation LibreOffice forgets. */
const spaced = (format: string): string =>
  format
    .split(';')
    .map((part) => `${part}_-`)
    .join(';')
/** The same cell in another number format. */
export const withNumberFormat = (style: Style, format: string): Style =>
  Object.freeze({ ...style, numFmt: spaced(format) })

const numeric = (format: string, more: StyleOptions = {}) =>
  makeStyle({ across: 'right', line: true, format: spaced(format), ...more })
export const integer = numeric('#,##0')
export const plainNumber = numeric('0')
export const percent = numeric('0.0%')
export const signedPercent = numeric('+0.0%;-0.0%;0.0%')
export const oneDecimal = numeric('0.0')
export const fourDecimals = numeric('0.0000')
export const calendarDate = makeStyle({ line: true, across: 'center', format: 'yyyy-mm-dd' })
export const timestamp = makeStyle({ line: true, format: 'yyyy-mm-dd hh:mm "UTC"' })

/** The same cell as one the reader may change: yellow, blue ink. */
export const asInput = (style: Style): Style =>
  Object.freeze({
    ...style,
    fill: solid(palette.input),
    font: { ...style.font, color: { argb: palette.inputInk } },
    border: edge,
    protection: { locked: false },
  })
/** The same cell, its content at the left or right, as text around it stands. */
export const asLeft = (style: Style): Style => aligned(style, { horizontal: 'left', vertical: 'top' })
export function asRight(style: Style): Style {
  const right = aligned(style, {
    horizontal: 'right',
    vertical: 'top',
    ...(style.numFmt === undefined && { indent: 1 }),
  })
  return style.numFmt === undefined || style.numFmt.endsWith('_-') ? right : withNumberFormat(right, style.numFmt)
}

function aligned(style: Style, alignment: Partial<ExcelJS.Alignment>): Style {
  const wrapText = style.alignment?.wrapText
  return Object.freeze({ ...style, alignment: { ...alignment, ...(wrapText && { wrapText }) } })
}

/** The same cell in bold. */
export const asBold = (style: Style): Style => Object.freeze({ ...style, font: { ...style.font, bold: true } })

const side = { style: 'thin', color: { argb: palette.line } } as const
const edge = { top: side, bottom: side, left: side, right: side }

/** Laid over the style of numbers no column has room for. */
export const scientific: Style = Object.freeze({ numFmt: '0.00E+00' })

/** What expression rules lay over cells. */
export const highlights = {
  good: { fill: ruleFill(palette.good), font: { color: { argb: palette.goodInk }, bold: true } },
  warn: { fill: ruleFill(palette.warn), font: { color: { argb: palette.warnInk } } },
  bad: { fill: ruleFill(palette.bad), font: { color: { argb: palette.badInk } } },
  muted: { font: { color: { argb: palette.muted } } },
} as const satisfies Record<string, Partial<ExcelJS.Style>>

/** Differential fills take their colour from the background. */
function ruleFill(argb: string): ExcelJS.Fill {
  return { type: 'pattern', pattern: 'solid', fgColor: { argb }, bgColor: { argb } }
}

/** A currency code that may stand in a number format; null for anything else. */
export const currencyCode = (value: unknown): string | null =>
  typeof value === 'string' && /^[A-Z]{3}$/.test(value) ? value : null

/**
 * The number formats that depend on the documents: money by currency, volumes and prices with as many decimals as were
 * sent (at most `VOLUME_DECIMALS` and `PRICE_DECIMALS`).
 */
export interface NumberStyles {
  volume: Style
  /** Totals, two decimals. */
  money(currency: string | null): Style
  /** Prices per tonne. */
  price(currency: string | null): Style
}
const VOLUME_DECIMALS = 3
const PRICE_DECIMALS = 4

/**
 * @param volumes tonnes as sent
 * @param prices unit prices as sent
 */
export function numberStyles(volumes: Iterable<number | null>, prices: Iterable<number | null>): NumberStyles {
  const priceDecimals = Math.max(2, decimals(prices, PRICE_DECIMALS))
  return {
    volume: numeric(pattern(decimals(volumes, VOLUME_DECIMALS))),
    money: byCurrency((prefix) => numeric(`${prefix}${pattern(2)}`)),
    price: byCurrency((prefix) => numeric(`${prefix}${pattern(priceDecimals)}`)),
  }
}

const pattern = (places: number) => (places === 0 ? '#,##0' : `#,##0.${'0'.repeat(places)}`)

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

function decimals(values: Iterable<number | null>, most: number): number {
  let seen = 0
  for (const value of values) {
    if (value !== null && Number.isFinite(value)) seen = Math.max(seen, decimalsOf(value, most))
    if (seen === most) break
  }
  return seen
}

function decimalsOf(value: number, most: number): number {
  const wanted = [...Array(most).keys()].find(
    (places) => Math.abs(Number(value.toFixed(places)) - value) < 10 ** -most / 2,
  )
  return wanted ?? most
}
