import { describe, expect, it } from 'vitest'
import { summariseChannel } from '../../../src/compare/channel/summarise-channel.js'
import type { ReportedDecision } from '../../../src/compare/input/comparison-input.js'
import { compareOffers } from '../../../src/compare/report/compare-offers.js'
import {
  channelInput,
  comparisonInput,
  EURO_SETTINGS,
  listingId,
  response,
  sampleResponses,
} from '../../helpers/data/comparison-inputs.js'

const scene = (number: number, of: Record<string, unknown> = {}, responses = [response(1)]) => ({
  rfq: { id: `rfq-${number}`, number, ...of },
  responses,
})

describe('the overview of a channel', () => {
  const scenes = [
    scene(1, { state: 'closed', closedAt: '2026-03-01T00:00:00.000Z' }, []),
    scene(2, { responseDueDate: '2026-03-14' }),
    scene(3, { responseDueDate: '2026-03-16' }, [
      response(1, { submittedAt: '2026-03-17T00:00:00.000Z' }),
      response(2, { status: 'rejected' }),
    ]),
    scene(4, { responseDueDate: '2026-03-24' }, []),
    scene(5, { responseDueDate: null }),
    scene(6, { state: 'closed' }),
    scene(7, { state: 'archived' }),
  ]
  const report = summariseChannel(channelInput(scenes))

  it('is plain JSON', () => {
    expect(report.schema).toBe('quotekeeper.channel-report/2')
    expect(JSON.parse(JSON.stringify(report))).toStrictEqual(report)
  })

  it('lists open RFQs by days to due, then the others, newest first', () => {
    expect(report.rfqs.map(({ number, daysToDue }) => [number, daysToDue])).toEqual([
      [2, -2],
      [3, 0],
      [4, 8],
      [5, null],
      [7, 4],
      [6, 4],
      [1, 4],
    ])
    expect(report.offers.map(({ rfqNumber }) => rfqNumber)).toEqual([2, 3, 3, 5, 7, 6])
  })

  it('says of each RFQ what was accepted, or what is recommended while it is open', () => {
    const unread = { rfqStored: { shape: 'list' as const }, responses: [] }
    const { rfqs } = summariseChannel(
      channelInput([
        ...scenes,
        scene(8, { state: 'closed' }, [response(1, { status: 'accepted' }), response(2)]),
        { ...scene(9, { state: 'closed', responses: [{ id: 'a' }, { id: 'b' }] }), ...unread },
      ]),
    )
    expect(Object.fromEntries(rfqs.map(({ number, awardText }) => [number, awardText]))).toMatchObject({
      1: 'No offer was accepted.',
      2: 'Recommended: Developer 1, 10,000 t at 12.00 USD/t.',
      4: 'The RFQ has no offers.',
      6: 'No offer was accepted.',
      8: expect.stringMatching(/^Accepted: Developer 1.*10,000 t at 12.00 USD\/t/),
      9: '2 offers, not read yet.',
    })
    expect(rfqs.find(({ number }) => number === 8)).toMatchObject({ award: null, accepted: { tonnes: 10_000 } })
  })

  it('counts RFQs, offers and flags', () => {
    expect(report.summary).toMatchObject({
      rfqs: 7,
      byState: [
        { state: 'archived', rfqs: 1 },
        { state: 'closed', rfqs: 2 },
        { state: 'open', rfqs: 4 },
      ],
      open: 4,
      dueSoon: 1,
      overdue: 1,
      openWithoutOffers: 1,
      offers: 6,
      byStatus: [
        { status: 'rejected', offers: 1 },
        { status: 'submitted', offers: 5 },
      ],
      lateOffers: 1,
      listings: 5,
      openWanted: 40_000,
      openOffered: 30_000,
    })
  })

  it('shows the same figures for an RFQ and its offers as the RFQ report', () => {
    const [row] = summariseChannel(channelInput([{ settings: EURO_SETTINGS }], { settings: EURO_SETTINGS })).rfqs
    const own = compareOffers(comparisonInput({ settings: EURO_SETTINGS }))
    expect(row).toMatchObject({
      offers: own.summary.offers,
      ranked: own.summary.ranked,
      bestPricePerTonne: own.summary.price.lowest,
      medianPricePerTonne: own.summary.price.median,
      coverage: own.summary.coverage,
      flags: own.summary.flags,
    })
    const { offers } = summariseChannel(channelInput([{}], { settings: EURO_SETTINGS }))
    expect(offers.map(({ id, rank }) => [id, rank])).toEqual(own.offers.map(({ id, rank }) => [id, rank]))
    expect(offers.at(-1)).toMatchObject({ status: 'rejected', why: 'The offer was rejected.' })
  })

  it('shows how listings are used', () => {
    const { listings } = summariseChannel(
      channelInput([scene(1, {}, sampleResponses()), scene(2, { listingIds: [listingId(1)] })]),
    )
    const first = listings.find(({ id }) => id === listingId(1))
    expect(first).toMatchObject({ rfqs: 2, offers: 2, offeredVolume: 30_000, projectName: 'Project 1' })
    expect(listings.find(({ id }) => id === listingId(5))).toMatchObject({ rfqs: 1, offers: 1, offeredVolume: 0 })
    expect(listings.map(({ projectName }) => projectName)).toEqual([1, 2, 3, 4, 5].map((number) => `Project ${number}`))
  })

  it('lists close decisions newest first, and counts the newest per RFQ', () => {
    const decision = (id: number, rfqId: string, of: Partial<ReportedDecision> = {}): ReportedDecision => ({
      id,
      runId: 1,
      rfqId,
      rfqNumber: 1,
      dueDate: '2026-03-10',
      timeZone: 'UTC',
      decidedAt: `2026-03-1${id}T00:00:00.000Z`,
      decision: 'close',
      reason: 'Due date has ended.',
      outcome: 'closed',
      httpStatus: 200,
      message: null,
      versionBefore: 1,
      versionAfter: 2,
      ...of,
    })
    const decisions = [
      decision(1, 'rfq-1', { decision: 'keep', outcome: null }),
      decision(2, 'rfq-1'),
      decision(3, 'rfq-2', { decision: 'blocked', outcome: null }),
      decision(9, 'rfq-2'),
    ]
    const { closings, summary } = summariseChannel(channelInput([], { decisions }))
    expect(closings.map(({ id }) => id)).toEqual([3, 2, 1])
    expect(summary.closings).toEqual([
      { decision: 'blocked', outcome: null, count: 1 },
      { decision: 'close', outcome: 'closed', count: 1 },
    ])
  })

  it('is valid for an empty channel', () => {
    const empty = summariseChannel(channelInput([], { listings: [] }))
    expect(empty).toMatchObject({
      rfqs: [],
      offers: [],
      listings: [],
      closings: [],
      summary: { rfqs: 0, open: 0, openWanted: 0 },
    })
  })
})
