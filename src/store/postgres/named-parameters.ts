import type { SqlParameters } from '../sql-database.js'

interface Numbered {
  text: string
  names: readonly string[]
}

const numbered = new Map<string, Numbered>()

/** SQL with named parameters (`@name`) as PostgreSQL wants it: numbered, with the values in that order. */
export function toPositional(sql: string, parameters: SqlParameters = {}): { text: string; values: unknown[] } {
  let known = numbered.get(sql)
  if (!known) {
    known = number(sql)
    numbered.set(sql, known)
  }
  return {
    text: known.text,
    values: known.names.map((name) => {
      const value = parameters[name]
      if (value === undefined) throw new TypeError(`Missing named parameter "${name}"`)
      return value
    }),
  }
}

function number(sql: string): Numbered {
  const names: string[] = []
  const text = sql.replace(/@([a-zA-Z]\w*)/g, (_, name: string) => {
    if (!names.includes(name)) names.push(name)
    return `$${names.indexOf(name) + 1}`
  })
  return { text, names }
}
