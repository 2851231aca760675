import { z } from 'zod'
import { withoutNoise } from '../../core/text/number-format.js'
import { type Column, isMoney, isNumeric, type Kind, type Value } from '../column.js'

export type Json = string | number | boolean | null | readonly string[]

/** The member that has the currency of a price or an amount. */
const currencyKey = ({ key }: Column<never>) => `${key}Currency`
const hasCurrency = (kind: Kind) => kind === 'price' || kind === 'money'

/** A row as a flat object of all columns, whatever their weight; a price or an amount has its currency in a member of its own. */
export function jsonRow<Row>(columns: readonly Column<Row>[], row: Row): Record<string, Json> {
  return Object.fromEntries(
    columns.flatMap((column): [string, Json][] => {
      const value = column.value(row)
      if (!hasCurrency(column.kind)) return [[column.key, jsonValue(value)]]
      const { amount, currency } = isMoney(value) ? value : { amount: null, currency: null }
      return [
        [column.key, amount === null ? null : withoutNoise(amount)],
        [currencyKey(column), currency],
      ]
    }),
  )
}

export const jsonRows = <Row>(columns: readonly Column<Row>[], rows: readonly Row[]): Record<string, Json>[] =>
  rows.map((row) => jsonRow(columns, row))

const jsonValue = (value: Value): Json =>
  typeof value === 'number' ? withoutNoise(value) : isMoney(value) ? value.amount : value

/** Of kinds that are neither numbers nor dates. */
const SCHEMAS: Partial<Record<Kind, z.ZodType<Json>>> = {
  text: z.union([z.string(), z.boolean(), z.array(z.string()), z.null()]),
  id: z.union([z.string(), z.number(), z.null()]),
  state: z.union([z.string(), z.array(z.string()), z.null()]),
}
const schemaOf = (kind: Kind) => SCHEMAS[kind] ?? (isNumeric(kind) ? z.number() : z.string()).nullable()

const UNITS: Partial<Record<Kind, string>> = {
  tonnes: ' Tonnes.',
  price: ' Per tonne.',
  percent: ' A fraction: 0.25 is 25 %.',
  moment: ' UTC, ISO 8601.',
  date: ' YYYY-MM-DD.',
}

/** The schema of `jsonRow`. */
export const jsonSchema = <Row>(columns: readonly Column<Row>[]): z.ZodObject =>
  z.strictObject(
    Object.fromEntries(
      columns.flatMap((column) => {
        const schema = schemaOf(column.kind).describe(`${column.header}.${UNITS[column.kind] ?? ''}`)
        return hasCurrency(column.kind)
          ? [[column.key, schema] as const, [currencyKey(column), z.string().nullable()] as const]
          : [[column.key, schema] as const]
      }),
    ),
  )
