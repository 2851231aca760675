import type { ChangingEffect } from './fault-effects.js'
import type { Answer } from './operation-handlers.js'

type Items = { items: Record<string, unknown>[] }

/** The answer with the effects on its body; only an answer of 200 has a document to change. */
export function changeAnswer(answer: Answer, effects: readonly ChangingEffect[]): Answer {
  const onBody = effects.filter((effect) => effect.kind !== 'date')
  if (onBody.length === 0 || answer.status !== 200) return answer
  const parsed: unknown = JSON.parse(answer.body.toString())
  const changed = onBody.reduce(changeBody, parsed)
  return { ...answer, body: Buffer.from(JSON.stringify(changed) ?? '') }
}

/** The `Date` header with the effects on it; null for none. */
export function changeDate(date: Date, effects: readonly ChangingEffect[]): string | null {
  const effect = effects.findLast((each) => each.kind === 'date')
  if (!effect) return date.toUTCString()
  return 'skewMs' in effect ? new Date(date.getTime() + effect.skewMs).toUTCString() : effect.value
}

function changeBody(body: unknown, effect: ChangingEffect): unknown {
  switch (effect.kind) {
    case 'transform':
      return effect.change(body)
    case 'patch':
      return effect.id === undefined ? mergePatch(body, effect.patch) : patchItem(body, effect.id, effect.patch)
    case 'empty':
      return changeItems(body, () => [])
    case 'drop':
      return changeItems(body, (items) => items.filter((item, index) => !isMeant(effect, item, index)))
    case 'duplicate':
      return changeItems(body, (items) => [
        ...items,
        ...items.filter((item, index) => isMeant(effect, item, index)).map((item) => patched(item, effect.patch)),
      ])
    default:
      return body
  }
}

const patched = (item: Items['items'][number], patch: unknown) =>
  (patch === undefined ? item : mergePatch(item, patch)) as Items['items'][number]

function changeItems(body: unknown, change: (items: Items['items']) => Items['items']): unknown {
  const { items } = body as Partial<Items>
  return Array.isArray(items) ? { ...(body as Items), items: change(items) } : body
}

const patchItem = (body: unknown, id: string, patch: unknown) =>
  changeItems(body, (items) => items.map((item) => (item.id === id ? patched(item, patch) : item)))

const isMeant = (
  which: { ids?: string[] | undefined; count?: number | undefined },
  item: { id?: unknown },
  index: number,
) => (which.ids ? which.ids.includes(String(item.id)) : index < (which.count ?? 1))

/** RFC 7396. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch
  const result: Record<string, unknown> = isObject(target) ? { ...target } : {}
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key]
    else result[key] = mergePatch(result[key], value)
  }
  return result
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
