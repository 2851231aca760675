import { describe, expect, it } from 'vitest'
import type { ClosingContext } from '../../../src/closing/contract.js'
import type { Candidate } from '../../../src/closing/evaluate.js'
import { readAndRecord as read, readForDryRun } from '../../../src/closing/fresh-read.js'
import { createRound } from '../../../src/closing/round.js'
import { readAndSend } from '../../../src/closing/send-close.js'
import type { RunHandle } from '../../../src/store/contract.js'
import { newProgress } from '../../../src/store/runs/with-run.js'
import { CHANNEL, KEY } from '../../helpers/channel-fixture.js'
import { closingContextOf, openClosingFixture, POLICY, rfqId } from '../../helpers/closing-round-fixture.js'

/** One RFQ with a response, polled, and a closing run that has begun a minute later. */
async function openReadFixture() {
  const fixture = await openClosingFixture()
  fixture.sandbox.world.addResponse(rfqId(1))
  fixture.advanceSeconds(60)
  await fixture.pollRfqs()
  const known = await fixture.candidate()
  const polled = fixture.operations().length
  fixture.advanceSeconds(60)
  const run = await fixture.store.beginRun({ channel: KEY, kind: 'close', now: fixture.now() })
  return Object.assign(fixture, {
    known,
    run,
    context: closingContextOf(fixture),
    requested: () => fixture.operations().slice(polled),
    stored: async (id = rfqId(1)) => (await fixture.store.rfqs({ channel: KEY, ids: [id] }))[0]?.rfq,
  })
}

const readAndRecord = (context: ClosingContext, run: RunHandle, id: string) => run.step(() => read(context, run, id))

/** What a round reads before it decides; null if the RFQ changed at every read. */
async function readBeforeClose(
  context: ClosingContext,
  run: RunHandle,
  known: Candidate,
  { isDryRun }: { isDryRun: boolean },
) {
  if (isDryRun) return run.step(() => readForDryRun(context, run, known))
  const round = await createRound(context, POLICY, run, newProgress())
  const result = await run.step(async () =>
    readAndSend(round, await read(context, run, known.id), async () => ({ kept: null })),
  )
  return result.kind === 'kept' ? result.read : null
}

const TO_CLOSE = { isDryRun: false }
const DRY_RUN = { isDryRun: true }

describe('the read before a close', () => {
  it.each([DRY_RUN, TO_CLOSE])('of a document that changed records it with its responses: %j', async (options) => {
    const fixture = await openReadFixture()
    const { context, run, known } = fixture
    fixture.sandbox.world.changeRfq(rfqId(1), { responseDueDate: '2026-12-24' })
    expect(await readBeforeClose(context, run, known, options)).toMatchObject({
      document: { responseDueDate: '2026-12-24' },
      version: known.version + 1,
      valid: true,
    })
    expect(fixture.requested().slice(-3)).toEqual(['readRfq', 'readResponse', 'readRfq'])
    expect(await fixture.stored()).toMatchObject({ version: known.version + 1 })
  })

  it.each([
    [DRY_RUN, 0],
    [DRY_RUN, 1],
    [TO_CLOSE, 0],
    [TO_CLOSE, 2],
  ])('shows what a poll found meanwhile: that it is missing: %j, %d changes', async (options, changes) => {
    const { context, run, known, sandbox, pollRfqs, stored } = await openReadFixture()
    const hidden = sandbox.faults.add({ operation: 'listRfqs', effect: { kind: 'drop', ids: [rfqId(1)] } })
    await pollRfqs({ acceptLoss: true })
    expect(hidden.hits).toBe(1)
    let reads = 0
    const call = () => void sandbox.world.changeRfq(rfqId(1), { title: `Title ${++reads}` })
    if (changes > 0) sandbox.faults.add({ operation: 'readRfq', times: changes, effect: { kind: 'call', call } })
    const shown = await readBeforeClose(context, run, known, options)
    expect(shown).toMatchObject({ state: 'open', missingSince: expect.any(String) })
    expect(reads).toBe(changes)
    expect(await stored()).toMatchObject({ missingSince: expect.any(String) })
    await pollRfqs()
    expect(await stored()).toMatchObject({ missingSince: null })
  })
})

describe('a recorded read', () => {
  it('of an RFQ that is not stored yet stores its first version', async () => {
    const { sandbox, context, run, stored, now } = await openReadFixture()
    sandbox.world.addRfq(CHANNEL, { id: rfqId(9) } as object)
    expect(await readAndRecord(context, run, rfqId(9))).toMatchObject({
      id: rfqId(9),
      version: 1,
      valid: true,
      missingSince: null,
      readAt: now(),
      answeredAt: now(),
      serverDate: expect.any(Date),
    })
    expect(await stored(rfqId(9))).toMatchObject({ version: 1, shape: 'full' })
  })

  it('of a document without an identifier is not valid and has no state', async () => {
    const { sandbox, context, run } = await openReadFixture()
    sandbox.faults.add({ operation: 'readRfq', effect: { kind: 'patch', patch: { id: null } } })
    expect(await readAndRecord(context, run, rfqId(1))).toMatchObject({ id: rfqId(1), valid: false, state: null })
  })
})
