import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AwardFacts } from '../../core/decision/award-record.js'
import type { Clock } from '../../core/time/clock.js'
import type { MakeReport } from '../../report-files/make-report.js'
import type { Store } from '../../store/contract.js'
import type { AwardActions, AwardOrder } from '../../tables/awards/awards.js'
import { VERSION } from '../../version.js'

interface AwardDeskDeps {
  store: Pick<Store, 'awards' | 'recordAward' | 'withdrawAward'>
  makeReport: MakeReport
  now: Clock
}

/** Records what a person decided, and its withdrawal. */
export const createAwardDesk = (deps: AwardDeskDeps): Omit<AwardActions, 'prepare'> => ({
  async record(order, { state, rfqNumber }) {
    if (state === null) throw new TypeError('an award that was refused cannot be recorded')
    const { store, now } = deps
    const { channel, rfqId, settings } = order
    const award: AwardFacts = { ...state.award, at: now().toISOString() }
    const workbook = await makeWorkbook(deps, order, award)
    return store.recordAward({ ...award, channel, rfqId, rfqNumber, settings, programVersion: VERSION, workbook })
  },
  async withdraw({ channel, rfqId, award, because, by }) {
    const { store, now } = deps
    const [standing] = await store.awards({ channel, rfqId, standing: true, limit: 1 })
    if (standing?.id !== award) return null
    return store.withdrawAward({ award, because, by, at: now().toISOString(), programVersion: VERSION })
  },
})

/** The workbook of the comparison with the award in it. It is kept in the database, so its file is removed. */
async function makeWorkbook({ makeReport }: AwardDeskDeps, order: AwardOrder, award: AwardFacts): Promise<Buffer> {
  const { channel, rfqId, asOf, now, by, settings } = order
  const folder = await mkdtemp(join(tmpdir(), 'quotekeeper-award-'))
  try {
    const out = join(folder, 'award.xlsx')
    const { path } = await makeReport({ channel, rfqId, asOf, now, madeBy: by, settings, award, out })
    return await readFile(path)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
