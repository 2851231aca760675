import { truncate } from '../../core/number-format.js'

interface Named {
  id: string
  developer: string | null
  project: string | null
}

const MAX_LABEL_LENGTH = 60

/** Short, unique labels: the developer; if shared, with the project; then with a number. */
export function offerLabels(offers: readonly Named[]): string[] {
  const short = offers.map(({ developer, project, id }) =>
    truncateLabel(developer ?? project ?? `Offer ${id.slice(0, 8)}`),
  )
  const shared = duplicates(short)
  const long = offers.map(({ developer, project }, at) => {
    const label = short[at] ?? ''
    return shared.has(keyOf(label)) && developer !== null && project !== null
      ? truncateLabel(`${developer} · ${project}`)
      : label
  })
  return numbered(long)
}

const truncateLabel = (text: string) => truncate(text.trim().replace(/\s+/g, ' '), MAX_LABEL_LENGTH)
const keyOf = (label: string) => label.toLowerCase()

function duplicates(labels: readonly string[]): Set<string> {
  const seen = new Set<string>()
  const twice = new Set<string>()
  for (const key of labels.map(keyOf)) {
    if (seen.has(key)) twice.add(key)
    seen.add(key)
  }
  return twice
}

/** `Acme (2)` for the second label of a name; numbers already used by another label are skipped. */
function numbered(labels: readonly string[]): string[] {
  const taken = new Set(labels.map(keyOf))
  const counts = new Map<string, number>()
  return labels.map((label) => {
    const before = counts.get(keyOf(label)) ?? 0
    const number = before === 0 ? 1 : freeNumber(label, before + 1, taken)
    const name = number === 1 ? label : `${label} (${number})`
    counts.set(keyOf(label), number)
    taken.add(keyOf(name))
    return name
  })
}

function freeNumber(label: string, from: number, taken: ReadonlySet<string>): number {
  let number = from
  while (taken.has(keyOf(`${label} (${number})`))) number++
  return number
}
