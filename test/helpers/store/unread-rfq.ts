import type { Sandbox } from '../../../src/sandbox/index.js'

/**
 * Adds an RFQ with two offers that answers 500 from now on, and one with one offer that can be read.
 * @returns their numbers
 */
export function addUnreadRfq(
  { world, faults }: Sandbox,
  channel: { org: string; channel: string },
  responseDueDate: string,
): { unread: number; read: number } {
  const add = (offers: number) => {
    const { id, number } = world.addRfq(channel, { responseDueDate })
    for (let more = 0; more < offers; more++) world.addResponse(id, {})
    return { id, number }
  }
  const [unread, read] = [add(2), add(1)]
  const effect = { kind: 'status', status: 500 } as const
  faults.add({ operation: 'readRfq', rfqId: unread.id, times: Number.POSITIVE_INFINITY, effect })
  return { unread: unread.number, read: read.number }
}
