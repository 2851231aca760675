import { describe, expect, it } from 'vitest'
import { BATCH_MS, emptyLedger, LEASE_MS, type LedgerReport } from '../../src/core/request-ledger.js'
import { openLedger, UNLIMITED } from '../helpers/ledger-simulation.js'

const ONE_STARTED = { starts: 1, lastStartAgo: 0 }

describe('a grant of the request ledger', () => {
  it('stays with its process until it ends, and is counted once, however often the process reports', () => {
    const ledger = openLedger(0, { concurrency: 10 })
    ledger.claim('one')
    for (const now of [0, 10, 50]) {
      ledger.now = now
      expect(ledger.claim('one', { used: null })).toMatchObject({ starts: 1, startsIn: 0, validFor: 50 - now })
    }
    for (let start = 2; start <= 5; start++) expect(ledger.claim(`process ${start}`).startsIn).toBe(0)
    expect(ledger.claim('another').startsIn).toBe(1002)
  })

  it('counts as used if its process does not say so before it ends', () => {
    const ledger = openLedger(0, { perSecond: 1 })
    ledger.claim('one')
    ledger.now = 51
    expect(ledger.claim('one', { used: null })).toEqual({
      slots: 1,
      starts: 1,
      startsIn: 1001,
      validFor: 1051,
      pausedFor: 0,
    })
  })

  it('keeps its place before those granted later', () => {
    const ledger = openLedger(0, { perSecond: 1 })
    ledger.claim('one')
    ledger.claim('two')
    ledger.claim('three')
    for (const id of ['one', 'two', 'one']) ledger.claim(id, { used: null })
    expect(ledger.state.grants.map(({ holder, from }) => [holder, from])).toEqual([
      ['one', 0],
      ['two', 1052],
      ['three', 2104],
    ])
  })

  it('does not begin before one that was granted earlier, also if starts were given back since', () => {
    const ledger = openLedger(0, { perSecond: 4, concurrency: 10 })
    for (const id of ['one', 'two', 'three', 'four']) expect(ledger.claim(id).startsIn).toBe(0)
    expect(ledger.claim('five').startsIn).toBe(1052)
    for (const id of ['two', 'four']) ledger.claim(id, { running: 0, waiting: 0 })
    expect(ledger.claim('six').startsIn).toBe(1052)
  })

  it('can be used for longer if it is a batch', () => {
    const ledger = openLedger()
    expect(ledger.claim('one', { perSecond: 50 })).toMatchObject({ starts: 4, validFor: 50 + BATCH_MS })
    expect(ledger.claim('one', { perSecond: 50, waiting: 1 })).toMatchObject({ starts: 1, validFor: 50 })
  })

  it('leaves no trace if it is given back unused', () => {
    const ledger = openLedger(0, { perSecond: 1 })
    ledger.claim('one', { used: ONE_STARTED })
    expect(ledger.state.grants).toHaveLength(1)
    ledger.claim('one', { running: 0, waiting: 0 })
    expect(ledger.state).toEqual(emptyLedger(0))
  })

  it('counts for the starts that were used of it', () => {
    const ledger = openLedger(0, { perSecond: 50, concurrency: 50, waiting: 50 })
    let [granted, used] = [ledger.claim('one').starts, 1]
    expect(granted).toBe(4)
    for (let share = ledger.claim('one', { used: ONE_STARTED }); share.startsIn === 0; used += granted) {
      granted = share.starts
      share = ledger.claim('one', { used: { starts: granted, lastStartAgo: 0 } })
    }
    expect(used).toBe(50)
  })

  it('is taken back by a pause if it has not begun', () => {
    const ledger = openLedger(0, { perSecond: 1 })
    ledger.claim('one')
    expect(ledger.claim('one', { used: ONE_STARTED }).startsIn).toBe(1002)
    ledger.claim('one', { used: null, pausedFor: 100 })
    ledger.now = 100
    expect(ledger.claim('two').startsIn).toBe(902)
  })

  it('is given only to a process that has a slot and something to start', () => {
    const ledger = openLedger(0, { concurrency: 1, waiting: 1 })
    const nothing = { starts: 0, startsIn: 0, validFor: 0 }
    expect(ledger.claim('one').slots).toBe(1)
    expect(ledger.claim('two', { recentStarts: 5 })).toMatchObject({ slots: 0, ...nothing })
    expect(ledger.claim('one', { running: 1, waiting: 0, used: ONE_STARTED })).toMatchObject({ slots: 1, ...nothing })
    expect(ledger.state.grants).toHaveLength(1)
  })

  it('waits for those that end first', () => {
    const ledger = openLedger(0, { perSecond: 2 })
    ledger.claim('one', { grace: 150 })
    ledger.claim('two', { grace: 10 })
    expect(ledger.claim('three').startsIn).toBe(1012)
  })

  it('is merged with others of its time if there are many, none of which is lost', () => {
    const ledger = openLedger(0, { perSecond: 100, concurrency: 1, waiting: 1 })
    ledger.claim('one')
    for (let start = 1; start < 100; start++) {
      ledger.now += 5
      expect(ledger.claim('one', { used: { starts: 1, lastStartAgo: 5 } }).startsIn).toBe(0)
    }
    expect(ledger.state.grants[0]).toEqual({ holder: null, starts: 13, from: 0, until: 60 })
    expect(ledger.claim('one', { used: ONE_STARTED }).startsIn).toBe(60 + 1002 - ledger.now)
    expect(ledger.state.grants.reduce((sum, { starts }) => sum + starts, 0)).toBe(101)
    ledger.now += 60_000
    ledger.claim('one', { used: null })
    expect(ledger.state.grants).toHaveLength(1)
  })

  it('is not merged with others while its process may use it', () => {
    const ledger = openLedger(0, { perSecond: 1000, concurrency: 4, waiting: 1 })
    let granted = 0
    const start = (times: number) => {
      for (; times > 0; times--) granted += ledger.claim('one', { used: ONE_STARTED }).starts
    }
    start(40)
    expect(ledger.claim('two')).toMatchObject({ starts: 1, startsIn: 0, validFor: 50 })
    for (const passed of [20, 30]) {
      ledger.now += passed
      start(40)
    }
    expect(ledger.claim('two', { used: null })).toMatchObject({ starts: 1, startsIn: 0, validFor: 0 })
    expect(ledger.state.grants.filter(({ holder }) => holder === 'two')).toHaveLength(1)
    expect(ledger.state.grants.reduce((sum, { starts }) => sum + starts, 0)).toBe(granted + 1)
  })
})

describe('the slots of the request ledger', () => {
  const ledgerOf = (concurrency: number) => openLedger(0, { ...UNLIMITED, concurrency })

  it('are left to others as far as a process wants fewer than an equal share', () => {
    const ledger = ledgerOf(12)
    for (const [id, waiting] of Object.entries({ one: 1, two: 2, three: 20 })) ledger.claim(id, { waiting })
    expect(ledger.claim('one', { waiting: 20 }).slots).toBe(1)
    ledger.claim('two', { waiting: 2 })
    expect(ledger.claim('three', { running: 4, waiting: 16 }).slots).toBe(5)
    expect(ledger.claim('one', { waiting: 20 }).slots).toBe(5)
  })

  it('are given back as soon as a process wants fewer, also if it has starts left', () => {
    const ledger = ledgerOf(2)
    expect(ledger.claim('one', { waiting: 2 }).slots).toBe(2)
    expect(ledger.claim('two').slots).toBe(0)
    expect(ledger.claim('one', { running: 1, waiting: 0, used: null }).slots).toBe(1)
    expect(ledger.claim('two').slots).toBe(1)
  })

  it('that do not divide stay with who uses one, so that the others get their share', () => {
    const ledger = ledgerOf(4)
    for (const [id, waiting] of Object.entries({ 'waits longest': 1, 'uses two': 2, ending: 1 })) {
      ledger.now++
      expect(ledger.claim(id, { waiting }).slots).toBe(waiting)
    }
    expect(ledger.claim('another', { waiting: 5 }).slots).toBe(0)
    ledger.claim('ending', { running: 0, waiting: 0 })
    expect(ledger.claim('waits longest', { running: 1, waiting: 5, used: null }).slots).toBe(1)
    expect(ledger.claim('another', { waiting: 5 }).slots).toBe(1)
  })

  it('that do not divide go to those who were served longest ago, of which the satisfied are none', () => {
    const ledger = ledgerOf(6)
    for (const [id, waiting] of Object.entries({ first: 2, second: 2, satisfied: 1, ending: 1 })) {
      ledger.now++
      expect(ledger.claim(id, { waiting }).slots).toBe(waiting)
    }
    for (const id of ['first', 'second']) expect(ledger.claim(id, { running: 2, waiting: 20 }).slots).toBe(2)
    ledger.claim('ending', { running: 0, waiting: 0 })
    expect(ledger.claim('second', { running: 2, waiting: 20 }).slots).toBe(2)
    expect(ledger.claim('first', { running: 2, waiting: 20 }).slots).toBe(3)
  })

  it('go to who has waited longest, whatever the order of claims', () => {
    const ledger = ledgerOf(1)
    ledger.claim('busy', { waiting: 1 })
    for (const [now, id] of [
      [10, 'z'],
      [20, 'a'],
    ] as const) {
      ledger.now = now
      ledger.claim(id)
    }
    ledger.now = 50
    ledger.claim('busy', { running: 0, waiting: 0 })
    expect(ledger.claim('a').slots).toBe(0)
    expect(ledger.claim('z').slots).toBe(1)
  })

  it.each([[['a', 'b']], [['b', 'a']]])(
    'go to the same of two that have waited equally long, also when they claim as %j',
    (order) => {
      const ledger = ledgerOf(1)
      for (const id of ['busy', ...order]) ledger.claim(id)
      ledger.claim('busy', { running: 0, waiting: 0 })
      const slots = new Map(order.map((id) => [id, ledger.claim(id).slots]))
      expect(Object.fromEntries(slots)).toEqual({ a: 1, b: 0 })
    },
  )

  it('of a killed process are kept for two seconds after a time without any claim, then taken back', () => {
    const ledger = ledgerOf(4)
    ledger.claim('killed', { waiting: 4 })
    ledger.now += 60_000
    expect(ledger.claim('one').slots).toBe(0)
    ledger.now += 1999
    expect(ledger.claim('one').slots).toBe(0)
    ledger.now++
    expect(ledger.claim('one').slots).toBe(4)
  })

  it('of a killed process are taken back after its lease if others claim every two seconds', () => {
    const ledger = ledgerOf(4)
    ledger.claim('killed', { waiting: 4 })
    while (ledger.now < LEASE_MS) {
      expect(ledger.claim('one').slots).toBe(0)
      ledger.now += 2000
    }
    expect(ledger.claim('one').slots).toBe(4)
  })
})

describe('a clock that is set back', () => {
  /** Time passed since the claim before, the process and what it reports. The clock may be set back where no time passed. */
  const CLAIMS: [passed: number, id: string, report?: Partial<LedgerReport>][] = [
    [0, 'killed', { waiting: 2 }],
    [5, 'z', { waiting: 2 }],
    [3, 'a', { waiting: 2 }],
    [0, 'b', { waiting: 2 }],
    [1, 'z', { running: 1, waiting: 1, used: { starts: 1, lastStartAgo: 1 } }],
    [0, 'z', { running: 0, waiting: 5, pausedFor: 300 }],
    [0, 'a', { used: null }],
    [400, 'a', { used: null }],
    [0, 'b', { used: null }],
    [1900, 'a', { used: null }],
    [0, 'c', { waiting: 3 }],
    [1900, 'z', { used: null }],
    [900, 'b'],
    [0, 'a'],
    [30_000, 'a'],
    [0, 'c', { waiting: 3 }],
    [1900, 'b'],
    [0, 'z'],
    [200, 'a'],
    [0, 'z'],
  ]

  it.each([1, 60_000, 3_600_000])('by %d ms changes no share', (back) => {
    const sharesOf = (setBack: number) => {
      const ledger = openLedger(10_000_000_000, { concurrency: 3, perSecond: 2 })
      return CLAIMS.map(([passed, id, report]) => {
        ledger.now += passed > 0 ? passed : -setBack
        return [id, ledger.claim(id, report)]
      })
    }
    expect(sharesOf(back)).toEqual(sharesOf(0))
  })
})
