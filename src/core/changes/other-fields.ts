import type { FieldValue } from '../documents/document-fields.js'
import { fieldName, formatDay, formatList, formatValue, isIdentifier, quotedChange } from './change-text.js'
import type { Clause, DocumentDifference, FieldDifference, Fields } from './document-difference.js'
import { itemsOf } from './document-difference.js'

/** Describes a field by its name. */
export function describeField(name: string, { before, after }: Omit<FieldDifference, 'field'>, year: string): string {
  if (isIdentifier(before) || isIdentifier(after)) return `${name} changed`
  if (before === null) return `${name} added: ${formatValue(after, year)}`
  if (after === null) return `${name} removed (was ${formatValue(before, year)})`
  if (typeof before !== 'string' || typeof after !== 'string')
    return `${name} ${formatValue(before, year)} → ${formatValue(after, year)}`
  const [old, now] = [formatDay(before, year), formatDay(after, year)]
  if (old === null || now === null) return `${name} changed: ${quotedChange(before, after)}`
  return old === now ? `${name}: another time on ${now}` : `${name} ${old} → ${now}`
}

/** Describes a text of a person: its beginning, or the part that changed. */
export function describeText(name: string, difference: FieldDifference, year: string): Clause {
  return { message: describeField(name, difference, year), fields: [difference] }
}

/** Describes a date: `Expires 12 Dec (was 1 Dec)`. @param verb such as `Expires` */
export function describeDate(verb: string, difference: FieldDifference, year: string): Clause {
  const text = (value: FieldValue) => (value === null ? null : formatValue(value, year))
  const [old, now] = [text(difference.before), text(difference.after)]
  const message =
    now === null
      ? `${verb}: no date any more (was ${old})`
      : `${verb} ${now}${old === null ? ' (no date before)' : old === now ? '' : ` (was ${old})`}`
  return { message, fields: [difference] }
}

/** Describes the fields that no rule knows, by their names. Lists of values are one clause each. */
export function describeRest(difference: DocumentDifference): Clause[] {
  const clauses = new Map<string, Clause>()
  for (const pair of difference.rest()) {
    const list = /^(.*)\[\d+\]$/s.exec(pair.field)?.[1]
    const key = list === undefined ? pair.field : `${list}[]`
    const known = clauses.get(key)
    if (known !== undefined) known.fields.push(pair)
    else {
      const message =
        list === undefined
          ? describeField(fieldName(pair.field), pair, difference.year)
          : describeValues(fieldName(list), difference, list)
      clauses.set(key, { message, fields: [pair] })
    }
  }
  return [...clauses.values()]
}

/** Describes a list of values, such as contract types. */
export function describeValues(name: string, { before, after, year }: DocumentDifference, list: string): string {
  const [old, now] = [valuesOf(before, list), valuesOf(after, list)]
  if ([...old, ...now].some(isIdentifier)) return `${name} changed`
  const text = (values: readonly FieldValue[]) => formatList(values.map((value) => formatValue(value, year)))
  const isReordered = old.length === now.length && old.every((value) => now.includes(value))
  if (isReordered) return `${name} in another order`
  if (old.length === 0) return `${name} added: ${text(now)}`
  return now.length === 0 ? `${name} removed (was ${text(old)})` : `${name}: ${text(now)} (was ${text(old)})`
}

/** The scalar values of a list. */
export const valuesOf = (fields: Fields, list: string): FieldValue[] =>
  itemsOf(fields, list).flatMap((item) => {
    const value = item.get('')
    return value === undefined || item.size > 1 ? [] : [value]
  })
