import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { openProcessFixture } from '../helpers/servers/process-fixture.js'

it('the file of the request limits locked: nothing is sent, the run says why, and the next one succeeds', async () => {
  const fixture = await openProcessFixture()
  expect(await fixture.start(['sync']).ended).toBe('exit 0')
  const sent = fixture.sandbox.requests.length
  const other = new Database(`${fixture.database}-requests`)
  other.exec('begin exclusive')
  const check = fixture.start(['check'])
  const blocked = fixture.start(['sync', '--only', 'rfqs'])
  expect(await blocked.ended).toBe('exit 1')
  expect(blocked.err).toContain('No request was sent, because the limits that all processes keep together cannot be')
  expect(blocked.err).toMatch(/locked by another process: \S+-requests/)
  expect(await check.ended).toBe('exit 1')
  expect(check.out).toContain('No request was sent')
  expect(fixture.sandbox.requests).toHaveLength(sent)
  expect(fixture.sql('select outcome from runs order by id desc limit 1')).toEqual([{ outcome: 'failed' }])
  other.close()
  expect(await fixture.start(['sync', '--only', 'rfqs']).ended).toBe('exit 0')
})
