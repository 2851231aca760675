import { expect, it, onTestFinished } from 'vitest'
import { RunBusyError } from '../../../src/store/errors.js'
import { openStore } from '../../../src/store/sqlite/store.js'
import { eventually } from '../../helpers/eventually.js'
import { openProcessFixture } from '../../helpers/servers/process-fixture.js'

const END = { requests: 0, seen: 0, inserted: 0, changed: 0, unchanged: 0, missing: 0, invalid: 0, error: null }

it('a command that waits for a poll comes before the next one of the service; one that was killed does not hold it up', async () => {
  const fixture = await openProcessFixture({ rfqs: 1 })
  const service = await openStore({ path: fixture.database, command: 'quotekeeper start' })
  onTestFinished(() => service.close())
  const begin = () => service.beginRun({ channel: 'acme/forest', kind: 'rfqs', now: new Date() })
  const poll = await begin()
  const wait = async (...args: string[]) => {
    const command = fixture.start(args)
    await eventually(() => expect(command.err).toMatch(/^Waiting /))
    return command
  }
  const killed = await wait('sync', '--only', 'rfqs')
  expect(killed.err).toMatch(
    /^Waiting up to 10 minutes for the poll of acme\/forest, begun \d\d:\d\d UTC by .* start \(process \d+\), to end; Ctrl-C/,
  )
  const sync = await wait('sync', '--only', 'rfqs')
  killed.signal('SIGKILL')
  await killed.ended
  const stopped = await wait('close-expired')
  stopped.signal('SIGINT')
  expect(await stopped.ended).toBe('exit 1')
  expect(stopped.err).toMatch(/is in progress|stopped by SIGINT/)
  await poll.finish({ ...END, outcome: 'complete' }, new Date())
  await expect(begin()).rejects.toThrow(RunBusyError)
  expect(await sync.ended).toBe('exit 0')
  await begin()
  expect(fixture.sql('select distinct kind, outcome from runs')).toEqual([
    { kind: 'rfqs', outcome: 'complete' },
    { kind: 'rfqs', outcome: null },
  ])
})
