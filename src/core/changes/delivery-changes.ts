import type { FieldValue } from '../documents/document-fields.js'
import { formatAmount, formatExactPrice, formatPricePerTonne, formatTonnes, truncate } from '../text/number-format.js'
import {
  capitalized,
  changeSuffix,
  fieldName,
  formatDay,
  formatList,
  formatValue,
  numberChange,
} from './change-text.js'
import {
  type Clause,
  type DocumentDifference,
  type FieldDifference,
  type Fields,
  itemDifferences,
  itemPattern,
  matchItems,
} from './document-difference.js'
import { describeField, valuesOf } from './other-fields.js'

/** A change of a figure that is the same in all lines of an offer. */
export interface LineChange {
  before: number
  after: number
  /** ` in all 3 deliveries`; empty if there is only one line. */
  where: string
  fields: FieldDifference[]
}

/** What changed in the deliveries of an offer. */
export interface DeliveryChanges {
  /** The unit price, if it is the same in all lines, before and after. */
  unitPrice: LineChange | null
  /** The volume, if there is only one line. */
  onlyVolume: LineChange | null
  /** Everything else. */
  clauses: Clause[]
}

/** A line of an offer: a vintage of a delivery. */
interface Line {
  delivery: number
  /** `vintage 2024`, or `vintage line 2` if another line of the delivery has the same year. */
  name: string
  path: string
  before: Fields
  after: Fields
}

/** A delivery that both versions have. */
interface Delivery {
  number: number
  path: string
  before: Fields
  after: Fields
}

/** A difference that may be the same in several lines or deliveries. */
interface SharedDifference {
  before: FieldValue
  after: FieldValue
  fields: FieldDifference[]
}
type LineGroup = SharedDifference & { lines: Line[] }
type DeliveryGroup = SharedDifference & { numbers: number[] }

/** A difference of a line. `text`: what is said of it, if that is not the values of the field. */
type LinePair = FieldDifference & { text?: readonly [before: string | null, after: string | null] }

/**
 * Describes the changes of the deliveries of an offer and of their vintages. Equal differences in several of them are one clause.
 * @param list path of the deliveries
 */
export function describeDeliveries(difference: DocumentDifference, list: string): DeliveryChanges {
  if (difference.takeAll(itemPattern(list)).length === 0) return { unitPrice: null, onlyVolume: null, clauses: [] }
  const { year } = difference
  const currency = difference.after.get('offer.currency')
  const unit = typeof currency === 'string' ? truncate(currency, 8) : null
  const { deliveries, lines, clauses } = matchDeliveries(difference, list, unit)
  const prices = groupLines(lines, (line) => numberPair(line, 'unitPrice'))
  const volumes = groupLines(lines, (line) => numberPair(line, 'volume'))
  const unitPrice = clauses.length === 0 ? uniform(prices, lines) : null
  const onlyVolume = clauses.length === 0 && lines.length === 1 ? uniform(volumes, lines) : null
  const ofLines = (groups: readonly LineGroup[], describe: (group: LineGroup) => string) =>
    groups.map((group) => ({ message: `${describe(group)}${whereText(group.lines, lines)}`, fields: group.fields }))
  const numbers = (name: string, format: (value: number) => string, of: string | null) => (group: LineGroup) =>
    `${name} ${numbersText(group, format, of)}`
  return {
    unitPrice,
    onlyVolume,
    clauses: [
      ...groupDeliveries(deliveries).map((group) => ({
        message: movedText(group, deliveries.length, year),
        fields: group.fields,
      })),
      ...ofLines(unitPrice === null ? prices : [], numbers('Unit price', formatExactPrice, unit)),
      ...ofLines(onlyVolume === null ? volumes : [], numbers('Volume', formatAmount, 't')),
      ...groupLines(lines, (line) => periodPair(line, year)).map((group) => ({
        message: `Vintage ${group.before ?? 'without a period'} → ${group.after ?? 'without a period'}${deliveriesWhere(group, deliveries)}`,
        fields: group.fields,
      })),
      ...ofLines(groupLines(lines, mitigationPair), (group) => describeField('Mitigation types', group, year)),
      ...clauses,
      ...describeOthers(deliveries, lines, year),
    ],
  }
}

/** The deliveries and lines that both versions have, and clauses about those that only one has. */
function matchDeliveries({ before, after, year }: DocumentDifference, list: string, unit: string | null) {
  const deliveries: Delivery[] = []
  const lines: Line[] = []
  const clauses: Clause[] = []
  for (const { number, before: old, after: now } of matchItems(before, after, list)) {
    const path = `${list}[${number - 1}]`
    if (old === null || now === null) {
      const text = deliveryText(now ?? old ?? new Map(), unit, year)
      const message = now === null ? `Delivery ${number} removed (was ${text})` : `Delivery ${number} added: ${text}`
      clauses.push({ message, fields: itemDifferences(path, old, now) })
      continue
    }
    deliveries.push({ number, path, before: old, after: now })
    for (const vintage of matchItems(old, now, 'vintages')) {
      const at = `${path}.vintages[${vintage.number - 1}]`
      const item = vintage.after ?? vintage.before ?? new Map()
      const name = vintageName(item, vintage.number, vintage.after === null ? old : now)
      if (vintage.before !== null && vintage.after !== null)
        lines.push({ delivery: number, name, path: at, before: vintage.before, after: vintage.after })
      else {
        const what = vintage.after === null ? 'removed from' : 'added to'
        const message = `${capitalized(name)} ${what} delivery ${number}: ${lineText(item, unit)}`
        clauses.push({ message, fields: itemDifferences(at, vintage.before, vintage.after) })
      }
    }
  }
  return { deliveries, lines, clauses }
}

/** The difference of one member, if both versions state a number. */
function numberPair({ before, after, path }: Line, member: string): FieldDifference[] {
  const [old, now] = [before.get(member), after.get(member)]
  return typeof old === 'number' && typeof now === 'number' && old !== now
    ? [{ field: `${path}.${member}`, before: old, after: now }]
    : []
}

function periodPair({ before, after, path }: Line, year: string): LinePair[] {
  const text = [periodText(before, year), periodText(after, year)] as const
  if (text[0] === text[1]) return []
  const isOfPeriod = ({ field }: FieldDifference) => /\.reportingPeriod(Start|End)$/.test(field)
  return itemDifferences(path, before, after)
    .filter(isOfPeriod)
    .map((pair) => ({ ...pair, text }))
}

function mitigationPair({ before, after, path }: Line): LinePair[] {
  const typesOf = (fields: Fields) => valuesOf(fields, 'mitigationTypes').map(String).sort().join(', ') || null
  const text = [typesOf(before), typesOf(after)] as const
  if (text[0] === text[1]) return []
  return itemDifferences(path, before, after)
    .filter(({ field }) => /\.mitigationTypes\[\d+\]$/.test(field))
    .map((pair) => ({ ...pair, text }))
}

/** `2024` for a calendar year, otherwise both days; null if they are not known. */
function periodText(fields: Fields, year: string): string | null {
  const [from, to] = [fields.get('reportingPeriodStart'), fields.get('reportingPeriodEnd')]
  if (from === undefined && to === undefined) return null
  const calendarYear = /^(\d{4})-01-01$/.exec(String(from))?.[1]
  if (calendarYear !== undefined && to === `${calendarYear}-12-31`) return calendarYear
  const text = (value: FieldValue | undefined) => (value === undefined ? 'unknown' : formatValue(value, year))
  return `${text(from)}–${text(to)}`
}

/** Groups lines with the same difference. */
function groupLines(lines: readonly Line[], read: (line: Line) => LinePair[]): LineGroup[] {
  const groups = new Map<string, LineGroup>()
  for (const line of lines) {
    const pairs = read(line)
    const [first] = pairs
    if (first === undefined) continue
    const [before, after] = first.text ?? [first.before, first.after]
    const key = JSON.stringify([before, after])
    const group = groups.get(key) ?? { before, after, fields: [], lines: [] }
    groups.set(key, group)
    group.lines.push(line)
    group.fields.push(...pairs.map(({ text: _text, ...pair }) => pair))
  }
  return [...groups.values()]
}

/** Groups deliveries with the same change of the due date. */
function groupDeliveries(deliveries: readonly Delivery[]): DeliveryGroup[] {
  const groups = new Map<string, DeliveryGroup>()
  for (const { number, path, before: old, after: now } of deliveries) {
    const [before, after] = [old.get('fulfilmentDueDate') ?? null, now.get('fulfilmentDueDate') ?? null]
    if (before === after) continue
    const key = JSON.stringify([before, after])
    const group = groups.get(key) ?? { before, after, fields: [], numbers: [] }
    groups.set(key, group)
    group.numbers.push(number)
    group.fields.push({ field: `${path}.fulfilmentDueDate`, before, after })
  }
  return [...groups.values()]
}

/** The difference, if all lines have it. */
function uniform(groups: readonly LineGroup[], lines: readonly Line[]): LineChange | null {
  const [group] = groups
  if (group === undefined || group.lines.length !== lines.length) return null
  const { before, after, fields } = group
  if (typeof before !== 'number' || typeof after !== 'number') return null
  return { before, after, where: whereText(lines, lines), fields }
}

/** In which deliveries and vintages: ` in all 3 deliveries`, ` in delivery 2`, ` in vintage 2024 of delivery 1`; empty if there is only one. */
function whereText(places: readonly Line[], all: readonly Line[]): string {
  const numbers = [...new Set(all.map(({ delivery }) => delivery))]
  if (places.length === all.length) {
    if (numbers.length > 1) return numbers.length === 2 ? ' in both deliveries' : ` in all ${numbers.length} deliveries`
    return all.length > 1 ? ` in all ${all.length} vintages` : ''
  }
  if (numbers.length === 1) return ` in ${formatList(places.map(({ name }) => name))}`
  const count = (lines: readonly Line[], number: number) => lines.filter(({ delivery }) => delivery === number).length
  const own = [...new Set(places.map(({ delivery }) => delivery))]
  if (own.every((number) => count(places, number) === count(all, number))) return ` in ${deliveriesText(own)}`
  return ` in ${formatList(
    places.map(({ name, delivery }) => `${name} of delivery ${delivery}`),
    3,
  )}`
}

/** ` in delivery 2`; empty if there is only one. */
const deliveriesWhere = ({ lines }: LineGroup, deliveries: readonly Delivery[]): string =>
  deliveries.length === 1 ? '' : ` in ${deliveriesText([...new Set(lines.map(({ delivery }) => delivery))])}`

/** `Delivery 2 moved from 2027-03 to 2027-06`. */
function movedText({ before, after, numbers }: DeliveryGroup, of: number, year: string): string {
  const isAll = numbers.length === of
  const subject =
    isAll && of > 1 ? `All ${of} deliveries` : of === 1 ? 'Delivery' : capitalized(deliveriesText(numbers))
  if (before === null || after === null) {
    if (after === null) return `${subject}: no due date any more (was ${formatValue(before, year)})`
    return `${subject} due ${formatValue(after, year)} (no date before)`
  }
  if (formatDay(before, year) === null || formatDay(after, year) === null)
    return `${subject}: due date ${formatValue(before, year)} → ${formatValue(after, year)}`
  const months = [before, after].map((date) => String(date).slice(0, 7))
  const [from, to] = months[0] === months[1] ? [before, after].map((date) => formatDay(date, year)) : months
  return `${subject} moved from ${from} to ${to}`
}

function numbersText({ before, after }: LineGroup, format: (value: number) => string, unit: string | null): string {
  const [old, now] = [Number(before), Number(after)]
  return `${numberChange(old, now, format)}${unit === null ? '' : ` ${unit}`}${changeSuffix(old, now)}`
}

/** `vintage 2024`; `vintage line 2` if its year is not known or not unique in the delivery. */
function vintageName(vintage: Fields, number: number, delivery: Fields): string {
  const yearOf = (value: FieldValue | undefined) => /^\d{4}(?=-)/.exec(String(value))?.[0] ?? null
  const year = yearOf(vintage.get('reportingPeriodStart'))
  const same = [...delivery].filter(
    ([path, value]) => /^vintages\[\d+\]\.reportingPeriodStart$/.test(path) && yearOf(value) === year,
  )
  return year !== null && same.length <= 1 ? `vintage ${year}` : `vintage line ${number}`
}

/** `500 t at 28.00 USD/t`. */
function lineText(line: Fields, currency: string | null): string {
  const [volume, price] = [line.get('volume'), line.get('unitPrice')]
  const tonnes = typeof volume === 'number' ? formatTonnes(volume) : 'volume not stated'
  return typeof price === 'number' ? `${tonnes} at ${formatPricePerTonne(price, currency)}` : tonnes
}

function deliveryText(delivery: Fields, currency: string | null, year: string): string {
  const lines = matchItems(delivery, delivery, 'vintages').flatMap(({ after }) => after ?? [])
  const due = delivery.get('fulfilmentDueDate')
  const text = formatList(
    lines.map((line) => lineText(line, currency)),
    2,
  )
  const date = due === undefined || due === null ? '' : `due ${formatValue(due, year)}`
  return [text, date].filter(Boolean).join(', ') || 'without details'
}

const MEMBER_NAMES: Record<string, string> = { fulfilmentMethod: 'Delivery method', name: 'Name of the vintage' }
const DESCRIBED = /\.(fulfilmentDueDate|reportingPeriodStart|reportingPeriodEnd|mitigationTypes\[\d+\])$/

/** Members that no rule knows; equal differences in several deliveries or vintages are one clause. */
function describeOthers(deliveries: readonly Delivery[], lines: readonly Line[], year: string): Clause[] {
  const groups = new Map<string, { name: string; pair: FieldDifference } & LineGroup & DeliveryGroup>()
  const add = (path: string, pair: FieldDifference, line: Line | null, number: number) => {
    const member = pair.field.slice(path.length).replace(/^\./, '')
    const key = JSON.stringify([member, line === null, pair.before, pair.after])
    const name = MEMBER_NAMES[member] ?? fieldName(member)
    const group = groups.get(key) ?? { name, pair, ...pair, fields: [], lines: [], numbers: [] }
    groups.set(key, group)
    group.fields.push(pair)
    if (line === null) group.numbers.push(number)
    else group.lines.push(line)
  }
  for (const { number, path, before, after } of deliveries)
    for (const pair of itemDifferences(path, before, after)) {
      const isOfLine = itemPattern('vintages').test(pair.field.slice(path.length + 1))
      if (!isOfLine && !DESCRIBED.test(pair.field)) add(path, pair, null, number)
    }
  for (const line of lines)
    for (const pair of itemDifferences(line.path, line.before, line.after)) {
      const isNumber = typeof pair.before === 'number' && typeof pair.after === 'number'
      const isDescribed = DESCRIBED.test(pair.field) || (isNumber && /\.(unitPrice|volume)$/.test(pair.field))
      if (!isDescribed) add(line.path, pair, line, line.delivery)
    }
  return [...groups.values()].map(({ name, pair, fields, lines: places, numbers }) => {
    const where =
      places.length > 0 ? whereText(places, lines) : deliveries.length > 1 ? ` of ${deliveriesText(numbers)}` : ''
    return { message: describeField(`${name}${where}`, pair, year), fields }
  })
}

/** `delivery 2`, `deliveries 1 and 3`. */
const deliveriesText = (numbers: readonly number[]): string =>
  `${numbers.length === 1 ? 'delivery' : 'deliveries'} ${formatList(numbers.map(String), 6)}`
