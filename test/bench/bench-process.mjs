// What the benchmarks share: measurements in processes of their own, and medians.
import { fork } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'

/** Where the compiled program is. */
export const dist = new URL('../../dist/', import.meta.url)

export const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]

/** The medians of each member of several measurements. */
export const medians = (all) =>
  Object.fromEntries(Object.keys(all[0]).map((name) => [name, median(all.map((each) => each[name]))]))

/**
 * A sample marketplace of one channel in which nothing happens.
 * @param size.termsOf what differs in the terms of the RFQ at a position
 */
export async function sampleWorld(channel, { rfqs, offers, now, termsOf }) {
  const { createWorld } = await import(new URL('src/sandbox/index.js', dist))
  const channels = [{ ...channel, listings: 0, rfqs, responsesPerRfq: offers }]
  const world = createWorld({ seed: 1, now, still: true, channels })
  for (const [at, { terms }] of world.channel(channel).rfqs.entries()) world.changeRfq(terms.id, termsOf(at))
  return world
}

/** Starts a role of a script in a process of its own and resolves with its first message, once it has ended. */
export function measureIn(script, role, ...values) {
  return startRole(script, role, ...values).then(async ({ child, answer }) => {
    if (child.exitCode === null) await new Promise((resolve) => child.once('exit', resolve))
    return answer
  })
}

/** The same for a role that goes on, such as a server, until its process is killed. */
export function startRole(script, role, ...values) {
  const child = fork(new URL(script), [role, ...values.map(String)])
  return new Promise((resolve, reject) => {
    child.once('message', (answer) => resolve({ child, answer }))
    child.once('exit', (code) => reject(new Error(`${role} ended with ${code} before it had measured anything`)))
  })
}

/** Runs the role that a process was started for. */
export async function runRole(roles) {
  const [role, ...args] = process.argv.slice(2)
  await roles[role](...args)
}

/** Measures some work in this process: whole time since its start, processor time, memory, the longest block. */
export async function measure(work) {
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  const began = performance.now()
  const more = await work()
  const { user, system } = process.cpuUsage()
  return {
    seconds: performance.now() / 1000,
    workSeconds: (performance.now() - began) / 1000,
    cpuSeconds: (user + system) / 1e6,
    peakMiB: process.resourceUsage().maxRSS / 1024,
    maxBlockedMs: delay.max / 1e6,
    ...more,
  }
}

/** Calls a function with a temporary folder, which is removed afterwards. */
export async function inFolder(work) {
  const folder = mkdtempSync(join(tmpdir(), 'quotekeeper-bench-'))
  try {
    return await work(folder)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

export const times = async (count, work) => {
  const results = []
  for (let round = 0; round < count; round++) results.push(await work(round))
  return results
}
