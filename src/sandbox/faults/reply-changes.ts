import { mergePatch } from '../merge-patch.js'
import type { Reply } from '../reply.js'
import type { ModifyingEffect } from './fault-effects.js'

type Item = Record<string, unknown>

/** Applies the effects to the reply's body. Only replies with status 200 carry a document to change. */
export function modifyReply(reply: Reply, effects: readonly ModifyingEffect[]): Reply {
  const bodyEffects = effects.filter((effect) => effect.kind !== 'date')
  if (bodyEffects.length === 0 || reply.status !== 200) return reply
  const parsed: unknown = JSON.parse(reply.body.toString())
  const changed = bodyEffects.reduce(modifyBody, parsed)
  return { ...reply, body: Buffer.from(JSON.stringify(changed) ?? '') }
}

/** The `Date` header after the effects; null to send none. */
export function dateHeader(date: Date, effects: readonly ModifyingEffect[]): string | null {
  const effect = effects.findLast((each) => each.kind === 'date')
  if (!effect) return date.toUTCString()
  return 'skewMs' in effect ? new Date(date.getTime() + effect.skewMs).toUTCString() : effect.value
}

function modifyBody(body: unknown, effect: ModifyingEffect): unknown {
  switch (effect.kind) {
    case 'transform':
      return effect.change(body)
    case 'patch':
      return effect.id === undefined ? mergePatch(body, effect.patch) : patchItem(body, effect.id, effect.patch)
    case 'empty':
      return mapItems(body, () => [])
    case 'drop':
      return mapItems(body, (items) => items.filter((item, index) => !isSelected(effect, item, index)))
    case 'duplicate':
      return mapItems(body, (items) => [
        ...items,
        ...items.filter((item, index) => isSelected(effect, item, index)).map((item) => patched(item, effect.patch)),
      ])
    default:
      return body
  }
}

const patched = (item: Item, patch: unknown) => (patch === undefined ? item : mergePatch(item, patch)) as Item

/** Replaces the items of a list; other bodies stay as they are. */
function mapItems(body: unknown, change: (items: Item[]) => Item[]): unknown {
  const { items } = body as { items?: Item[] }
  return Array.isArray(items) ? { ...(body as object), items: change(items) } : body
}

const patchItem = (body: unknown, id: string, patch: unknown) =>
  mapItems(body, (items) => items.map((item) => (item.id === id ? patched(item, patch) : item)))

interface Selection {
  ids?: string[] | undefined
  count?: number | undefined
}

const isSelected = ({ ids, count }: Selection, item: Item, index: number) =>
  ids ? ids.includes(String(item.id)) : index < (count ?? 1)
