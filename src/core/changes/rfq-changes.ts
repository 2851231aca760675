import type { FieldValue } from '../documents/document-fields.js'
import { formatAmount, formatExactPrice, formatRange, truncate } from '../text/number-format.js'
import { capitalized, formatDay, formatList, formatValue, quote } from './change-text.js'
import type { Clause, DocumentDifference, FieldDifference, Fields } from './document-difference.js'
import { describeDate, describeText, describeValues, valuesOf } from './other-fields.js'

const LIMITS = [
  { name: 'Volume', min: 'minVolume', max: 'maxVolume', format: formatAmount, unit: () => 't' },
  { name: 'Vintages', min: 'minVintageYear', max: 'maxVintageYear', format: String, unit: () => '' },
  {
    name: 'Price limits',
    min: 'pricing.minUnitPrice',
    max: 'pricing.maxUnitPrice',
    format: formatExactPrice,
    unit: (fields: Fields) => `${currencyOf(fields)}/t`,
  },
] as const
type Limit = (typeof LIMITS)[number]

const DATES = { responseDueDate: 'Responses due', fulfilmentDueDate: 'Delivery by' }
const TEXTS = {
  title: 'Title',
  reference: 'Reference',
  buyerDescription: 'Description of the buyer',
  additionalRequirements: 'Additional requirements',
}
const PURPOSES: Record<string, string> = { buyToRetire: 'to retire', buyToSell: 'to sell' }

const currencyOf = (fields: Fields): string => truncate(String(fields.get('pricing.currency') ?? ''), 8)

/** Describes the changes of an RFQ, the most important first. @param closedBy such as `Quotekeeper`, if it is known */
export function describeRfqChanges(difference: DocumentDifference, closedBy: string | null): Clause[] {
  const { year } = difference
  const of = <T extends string>(names: Record<string, T>, describe: (name: T, found: FieldDifference) => Clause) =>
    Object.entries(names).flatMap(([field, name]) => {
      const found = difference.take(field)
      return found === null ? [] : [describe(name, found)]
    })
  return [
    ...describeState(difference, closedBy),
    ...of(DATES, (verb, found) => describeDate(verb, found, year)),
    ...LIMITS.flatMap((limit) => describeLimit(difference, limit)),
    ...describeContracts(difference),
    ...of({ reasonForPurchase: 'Bought' }, (verb, found) => ({
      message: `${verb} ${purpose(found.after)} (was ${purpose(found.before)})`,
      fields: [found],
    })),
    ...of(TEXTS, (name, found) => describeText(name, found, year)),
    ...describeListings(difference),
    ...of({ number: 'Number' }, (name, found) => ({
      message: `${name} ${idText(found.before)} → ${idText(found.after)}`,
      fields: [found],
    })),
  ]
}

/** `First seen: open, 10,000–50,000 t at up to 30.00 USD/t, responses due 12 Dec`. */
export function describeNewRfq(fields: Fields, year: string): string {
  const state = fields.get('state')
  const due = formatDay(fields.get('responseDueDate') ?? null, year)
  const [volume, , price] = LIMITS
  const terms = [limitText(fields, volume), limitText(fields, price)].filter((text) => text !== null).join(' at ')
  const facts = [stateText(state ?? null), terms, due === null ? '' : `responses due ${due}`]
  return `First seen: ${facts.filter(Boolean).join(', ')}`
}

function describeState(difference: DocumentDifference, closedBy: string | null): Clause[] {
  const state = difference.take('state')
  if (state === null) return []
  // The times of closing and opening say nothing new.
  const fields = [state, ...difference.takeAll(/^(closedAt|openedAt|updatedAt)$/)]
  if (state.after === 'closed')
    return [{ event: 'closed', message: closedBy === null ? 'Closed' : `Closed by ${closedBy}`, fields }]
  if (state.after === 'open')
    return [{ event: 'opened', message: state.before === 'closed' ? 'Opened again' : 'Opened', fields }]
  return [{ message: `${capitalized(stateText(state.after))} (was ${stateText(state.before)})`, fields }]
}

const stateText = (state: FieldValue) =>
  state === null ? 'state unknown' : state === 'open' || state === 'closed' ? state : `state ${quote(state)}`

function describeLimit(difference: DocumentDifference, limit: Limit): Clause[] {
  const { before, after } = difference
  if (![limit.min, limit.max].every((field) => isLimit(before.get(field)) && isLimit(after.get(field)))) return []
  const fields = [limit.min, limit.max].flatMap((field) => difference.take(field) ?? [])
  if (limit.min === 'pricing.minUnitPrice') fields.push(...difference.takeAll(/^pricing\.currency$/))
  if (fields.length === 0) return []
  const [old, now] = [limitText(before, limit), limitText(after, limit)]
  return [{ message: `${limit.name}: ${now ?? 'no limit'} (was ${old ?? 'not stated'})`, fields }]
}

const isLimit = (value: FieldValue | undefined) => value === undefined || typeof value === 'number' || value === 'Any'

function limitText(fields: Fields, { min, max, format, unit }: Limit): string | null {
  const number = (field: string) => {
    const value = fields.get(field)
    return typeof value === 'number' ? value : null
  }
  const range = formatRange(number(min), number(max), format)
  return range === null ? null : `${range} ${unit(fields)}`.trim()
}

function describeContracts(difference: DocumentDifference): Clause[] {
  const fields = difference.takeAll(/^contractTypes\[\d+\]$/)
  if (fields.length === 0) return []
  const [old, now] = [difference.before, difference.after].map((each) => valuesOf(each, 'contractTypes'))
  const isPlain = [...(old ?? []), ...(now ?? [])].every((value) => value === 'spot' || value === 'forward')
  if (!isPlain || !old?.length || !now?.length)
    return [{ message: describeValues('Contract types', difference, 'contractTypes'), fields }]
  return [{ message: `Contracts: ${formatList(now.map(String))} (was ${formatList(old.map(String))})`, fields }]
}

/** The listings are one field (`rfqFields`), because their order has no meaning. */
function describeListings(difference: DocumentDifference): Clause[] {
  const found = difference.take('listingIds')
  if (found === null) return []
  const ids = (value: FieldValue) => new Set(value === null ? [] : String(value).split(', '))
  const [old, now] = [ids(found.before), ids(found.after)]
  const added = [...now].filter((id) => !old.has(id)).length
  const removed = [...old].filter((id) => !now.has(id)).length
  const parts = [...(added > 0 ? [`${added} added`] : []), ...(removed > 0 ? [`${removed} removed`] : [])]
  return [{ message: `Invited listings: ${parts.join(', ') || 'listed differently'}`, fields: [found] }]
}

const purpose = (value: FieldValue) =>
  value === null ? 'for no stated purpose' : (PURPOSES[String(value)] ?? `for the purpose ${formatValue(value, '')}`)

const idText = (value: FieldValue) =>
  value === null ? 'none' : typeof value === 'number' ? String(value) : quote(value)
