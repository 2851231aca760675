import type { Effect } from '../../src/sandbox/index.js'
import { aListing, anRfq, aResponse } from '../helpers/data/sample-documents.js'
import type { Scenario } from './scenario.js'

export const HOSTILE_START = '2026-11-21T12:00:00.000Z'
export const HOSTILE_CHANNEL = { org: 'acme', channel: 'forest' }
const OVERDUE = '2026-11-20'
const HOSTILE = '<script>alert("x")</script> =1+1 a\u001b[2Jb\u202ec\u200bd & Söhne\r\n| last line'
/** Only RFQs whose ids are UUIDs can be closed. */
const uuid = (number: number) => `00000000-0000-4000-8000-00000000${number}`

type Members = Record<string, unknown>

/** Twelve RFQs, numbered from 1001, and what the marketplace says of them. */
export function fillHostile({ sandbox: { world, faults } }: Scenario): void {
  const always = (where: Members, ...effect: Effect[]) =>
    faults.add({ times: Number.POSITIVE_INFINITY, ...where, effect })
  const rfq = (number: number, members: Members = {}, offers: ReturnType<typeof aResponse>[] = []) => {
    const own = { number, reference: `RFQ-${number}`, responseDueDate: '2026-11-30', ...members }
    world.addRfq(HOSTILE_CHANNEL, anRfq(uuid(number), { ...own, responses: offers }) as never)
  }
  const offer = (id: string, members: Members = {}) =>
    aResponse(id, { projectDeveloperName: `Developer of ${id}`, ...members })
  world.addListing(HOSTILE_CHANNEL, aListing() as never)
  world.addListing(
    HOSTILE_CHANNEL,
    aListing('listing-2', { projectName: HOSTILE, country: 7, pricing: null, surprise: [1] }) as never,
  )
  for (const id of ['a\ud800', 'a\0', '..'])
    world.addListing(HOSTILE_CHANNEL, aListing(id, { projectName: 'Strange id' }) as never)

  const strange = 'offer/ä ?#%2e"<&\u{1f333}'
  rfq(1001, { title: HOSTILE }, [
    offer('cheap'),
    offer('nulls'),
    offer('lossy'),
    offer('unread'),
    offer('returns'),
    offer(strange, { projectName: HOSTILE }),
  ])
  always(
    { operation: 'readResponse', responseId: 'nulls' },
    {
      kind: 'patch',
      patch: {
        status: 'swapped',
        offer: { currency: null, scheduledDeliveries: null, totalPrice: '12', expiryDate: null },
      },
    },
  )
  const lossy = JSON.stringify(world.response('lossy'))
    .replace('"totalPrice":15000', '"totalPrice":12345678901234567890.123')
    .replace('"currency":"USD"', '"currency":"EUR","currency":"USD"')
  always({ operation: 'readResponse', responseId: 'lossy' }, { kind: 'status', status: 200, text: lossy })
  always({ operation: 'readResponse', responseId: 'unread' }, { kind: 'status', status: 500 })

  rfq(1002, {
    title: null,
    state: 'paused',
    minVolume: null,
    maxVolume: '2,000',
    responseDueDate: '2026-02-30',
    pricing: null,
  })
  rfq(1003, { title: 'The list says it is closed and due later', responseDueDate: OVERDUE })
  always(
    { operation: 'listRfqs' },
    { kind: 'patch', id: uuid(1003), patch: { state: 'closed', responseDueDate: '2027-01-31' } },
  )
  rfq(1004, { title: 'Twice in the list', responseDueDate: OVERDUE }, [offer('of-twin')])
  always(
    { operation: 'listRfqs' },
    { kind: 'duplicate', ids: [uuid(1004)], patch: { state: 'draft', title: 'Its twin' } },
  )
  rfq(1005, { title: 'Disappears and returns' }, [offer('of-returning')])
  rfq(1006, { title: 'Two due dates', responseDueDate: OVERDUE })
  const twice = JSON.stringify(world.rfq(uuid(1006))).replace(
    '"responseDueDate"',
    '"responseDueDate":"2027-01-31","responseDueDate"',
  )
  always({ operation: 'readRfq', rfqId: uuid(1006) }, { kind: 'status', status: 200, text: twice })
  rfq(1007, { title: 'Listed later than read' }, [offer('listed')])
  rfq(1008, { id: 'rfq/ä ?#%2e"<&\u{1f333}', title: 'Strange id', responseDueDate: OVERDUE }, [offer('of-strange')])
  rfq(1009, { title: 'Closed in time', responseDueDate: OVERDUE }, [
    offer('late', { submittedAt: '2026-11-21T09:00:00Z' }),
  ])
  rfq(1010, { title: 'Close has no effect', responseDueDate: OVERDUE })
  faults.add({ operation: 'closeRfq', rfqId: uuid(1010), effect: { kind: 'status', status: 200, body: { ok: false } } })
  rfq(1011, { title: 'Close with an uncertain effect', number: 1010, responseDueDate: OVERDUE })
  rfq(1012, { title: 'Known only from the list' }, [offer('never-read')])
  always({ operation: 'readRfq', rfqId: uuid(1012) }, { kind: 'status', status: 500 })
}

/** Five polls over eight days. */
export async function driveHostile({ sandbox, pollAfter, quotekeeper, now }: Scenario): Promise<string> {
  const { world, faults } = sandbox
  const printed = [await pollAfter(0)]

  const withdrawn = world.response('returns')
  world.removeResponse('returns')
  world.changeResponse('cheap', { offer: { totalPrice: 14_000 } })
  const hidden = faults.add({ operation: 'listRfqs', effect: { kind: 'drop', ids: [uuid(1005)] } })
  printed.push(await pollAfter(1))
  hidden.remove()

  const location = world.findRfq(uuid(1001))
  if (location) world.putResponse(location, withdrawn)
  const unreadable: { remove(): void }[] = []
  const becomeUnreadable = () => {
    const status = { kind: 'status', status: 500 } as const
    unreadable.push(faults.add({ rfqId: uuid(1011), times: Number.POSITIVE_INFINITY, effect: status }))
  }
  const uncertain: Effect[] = [
    { kind: 'call', call: becomeUnreadable },
    { kind: 'reset', apply: true },
  ]
  faults.add({ operation: 'closeRfq', rfqId: uuid(1011), effect: uncertain })
  printed.push(await pollAfter(2), await quotekeeper('close-expired', '--dry-run'), await quotekeeper('close-expired'))
  for (const fault of unreadable) fault.remove()

  const most = [...Array(9).keys()].map((at) => uuid(1002 + at))
  const loss = faults.add({ operation: 'listRfqs', times: 3, effect: { kind: 'drop', ids: most } })
  printed.push(await pollAfter(1), await quotekeeper('close-expired'))
  loss.remove()

  printed.push(await pollAfter(4, '--full'), await quotekeeper('close-expired'))

  // The list shows a change of an RFQ that cannot be read.
  sandbox.advance(new Date(now().getTime() + 3_600_000))
  world.changeRfq(uuid(1007), { responseDueDate: '2026-12-05', title: 'Renamed' })
  world.removeResponse('listed')
  faults.add({ operation: 'readRfq', rfqId: uuid(1007), times: 9, effect: { kind: 'status', status: 500 } })
  printed.push(await quotekeeper('sync', '--only', 'rfqs'))
  return printed.join('\n')
}
