import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createOtherServices } from '../../../jobs/queue/other-services.js'
import { ANNOUNCED_MS, createSchedulingProcesses } from '../../../src/store/runs/scheduling-processes.js'
import { Connection } from '../../../src/store/sqlite/connection.js'
import { sqliteDatabase } from '../../../src/store/sqlite/sqlite-database.js'
import { openStore } from '../../../src/store/sqlite/store.js'
import { recordingLog } from '../../helpers/recording-log.js'
import { testFolder } from '../../helpers/test-folder.js'

const START = new Date('2026-11-21T06:00:00.000Z')

/** Processes that run while the tests do: the others that this one may call by another id. */
const RUNNING = [process.pid, process.ppid, 1]

/** Services on one database, each with a connection of its own, whose clock only the test moves. */
async function openServices() {
  const path = join(testFolder(), 'services.db')
  await (await openStore({ path })).close()
  const pids = [...RUNNING]
  let now = START
  const open = async (ownQueue: boolean) => {
    const connection = await Connection.open(path, { inspect: () => undefined, prepare: async () => undefined })
    onTestFinished(() => connection.close())
    const options = { clock: () => now, command: 'quotekeeper start', pid: pids.shift() as number }
    const store = createSchedulingProcesses(sqliteDatabase(connection), options)
    const log = recordingLog()
    return { store, log, connection, ...createOtherServices({ store, ownQueue, log }) }
  }
  return {
    open,
    pass: (ms: number) => {
      now = new Date(now.getTime() + ms)
    },
    setTime: (time: Date) => {
      now = time
    },
  }
}

it('each of two services with a queue of its own warns of the other once, and again after it came back', async () => {
  const { open } = await openServices()
  const [one, two] = [await open(true), await open(true)]
  for (let round = 0; round < 3; round++) for (const { announce } of [one, two]) await announce()
  for (const { log } of [one, two])
    expect(log.at('warn')).toEqual([
      expect.stringMatching(/^quotekeeper start \(process \d+\) on this machine runs on/),
    ])
  await two.stop()
  await one.announce()
  await two.announce()
  await one.announce()
  expect(one.log.at('warn')).toHaveLength(2)
})

it('services on one shared queue warn of none but those with a queue of their own', async () => {
  const { open } = await openServices()
  const [one, two] = [await open(false), await open(false)]
  for (let round = 0; round < 2; round++) for (const { announce } of [one, two]) await announce()
  expect([...one.log.at('warn'), ...two.log.at('warn')]).toEqual([])
  const own = await open(true)
  for (const { announce } of [own, one, two]) await announce()
  expect([own, one, two].map(({ log }) => log.at('warn').length)).toEqual([2, 1, 1])
})

it('a service counts as running until its announcement expires, or was written before the clock was set back', async () => {
  const { open, pass, setTime } = await openServices()
  const [one, two] = [await open(true), await open(true)]
  await one.announce()
  pass(ANNOUNCED_MS - 1)
  expect(await two.store.otherSchedulingProcesses()).toHaveLength(1)
  expect(await one.store.otherSchedulingProcesses()).toEqual([])
  pass(1)
  expect(await two.store.otherSchedulingProcesses()).toEqual([])
  await one.announce()
  setTime(new Date(START.getTime() - 3_600_000))
  expect(await two.store.otherSchedulingProcesses()).toEqual([])
})

it('a database that cannot be used stops no service', async () => {
  const { open } = await openServices()
  const one = await open(true)
  await one.connection.close()
  await one.announce()
  await one.stop()
  expect(one.log.at('warn')).toEqual([])
  expect(one.log.at('debug')).toHaveLength(1)
})
