import type { Log } from './contract.js'

/**
 * Logs one line when an outage begins and one when it ends.
 * @param what what is unavailable: `the queue at redis://…`
 * @returns to be called with each error of an outage, and when what failed began (`performance.now()`, default now); and with null after each success
 */
export function createOutageLog(log: Log, what: string): (error: Error | null, began?: number) => void {
  let isOut = false
  let succeededAt = Number.NEGATIVE_INFINITY
  return (error, began = performance.now()) => {
    if (error === null) succeededAt = performance.now()
    else if (began < succeededAt) return // The outage has ended meanwhile.
    if (error !== null) log[isOut ? 'debug' : 'error']({ reason: error.message }, `${what} is unavailable; retrying`)
    else if (isOut) log.info(`${what} is available again`)
    isOut = error !== null
  }
}
