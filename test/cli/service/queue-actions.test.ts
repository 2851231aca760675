import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { JobResult, JobStatus } from '../../../jobs/contract.js'
import type { ServiceQueue } from '../../../jobs/service.js'
import { createQueueActions } from '../../../src/cli/service/queue-actions.js'
import { KEY } from '../../helpers/channel-fixture.js'
import { testConfig } from '../../helpers/test-config.js'

const config = testConfig()
const APP = { config, scrub: (text: string) => text, store: () => Promise.reject(new Error('not used by this test')) }
const NOW = new Date('2026-11-21T12:00:00.000Z')

const job = (id: string, state: JobStatus['state'], more: Partial<JobStatus> = {}): JobStatus => ({
  ...{ id, name: 'rfq-report', payload: { channel: KEY, rfqId: 'rfq-1', cause: 'api' }, state },
  ...{ addedAt: NOW.toISOString(), startedAt: null, finishedAt: null, attempts: 1, error: null, result: null },
  ...more,
})

/** What users see of a queue with these jobs, which knows no job that follows a running one. */
const actionsOn = async (jobs: JobStatus[]) =>
  (await createQueueActions(APP, () => NOW))({
    enqueue: async () => true,
    job: async (id: string) => jobs.find((each) => each.id === id) ?? null,
    jobs: async (state: JobStatus['state']) => jobs.filter((each) => each.state === state),
  } as unknown as ServiceQueue)

it('a job is accepted although another program runs jobs of any form on the queue', async () => {
  const forms = [null, 'text', { channel: KEY, rfqId: 7 }, { channel: KEY, rfqId: 'rfq-1', asOf: 5 }, { channel: 7 }]
  const foreign = forms.map((payload, index) => job(`other-${index}`, 'active', { payload: payload as never }))
  const { queue } = await actionsOn([...foreign, job('running', 'active')])
  const order = { name: 'rfq-report', payload: { channel: KEY, rfqId: 'rfq-1', cause: 'page ana' } } as const
  const id = queue.newId(order)
  expect(await queue.enqueue(order, id)).toBe(true)
  expect(await queue.status(id)).toMatchObject({ job: id, state: 'waiting' })
})

it('the report of a job is in the report folder if the job says so, or its file is and the job says nothing', async () => {
  const inFolder = join(config.reports.directory, 'acme_forest/a.xlsx')
  const results: [JobResult, string | null][] = [
    [{ file: inFolder }, 'acme_forest/a.xlsx'],
    [{ file: '/elsewhere/a.xlsx' }, null],
    [{ file: '/elsewhere/a.xlsx', report: 'acme_forest/b.xlsx' }, 'acme_forest/b.xlsx'],
    [{ file: inFolder, report: null }, null],
  ]
  for (const [result, report] of results) {
    const { queue } = await actionsOn([job('done', 'completed', { result })])
    expect([result, (await queue.status('done'))?.report]).toEqual([result, report])
  }
})
