import type { SchedulingProcesses } from '../../src/store/contract.js'
import type { Log } from '../contract.js'

export interface OtherServices {
  /** Announces this process, and warns of those that have started since the last call. Never rejects. */
  announce(): Promise<void>
  /** Announces this process now and every minute. */
  start(): Promise<void>
  stop(): Promise<void>
}

const ANNOUNCE_MS = 60_000

/** What to do about processes with separate queues on one database. */
export const QUEUE_CONFLICT_REMEDY = 'run one process only, or set queue: redis://… to the same queue in all of them'

/**
 * Warns of other processes on the database that schedule the same jobs with another queue: each of them requests the same documents, and
 * may report the same close. This is not an error, because both run for a moment when one replaces the other.
 * @param options.ownQueue whether only this process can use its queue
 */
export function createOtherServices({
  store,
  ownQueue,
  log,
}: {
  store: SchedulingProcesses
  ownQueue: boolean
  log: Log
}): OtherServices {
  let known: readonly string[] = []
  let timer: NodeJS.Timeout | null = null
  const announce = async () => {
    try {
      const others = await store.announceScheduling({ ownQueue })
      const found = others.filter((other) => ownQueue || other.ownQueue).map(({ by }) => by)
      for (const by of found.filter((each) => !known.includes(each))) {
        const message = `${by} runs on the same database with another queue, so polls and reports may run twice`
        log.warn({ process: by }, `${message}: ${QUEUE_CONFLICT_REMEDY}`)
      }
      known = found
    } catch (error) {
      log.debug({ err: error }, 'cannot look for other services on the database; retrying in a minute')
    }
  }
  return {
    announce,
    async start() {
      await announce()
      timer = setInterval(announce, ANNOUNCE_MS).unref()
    },
    async stop() {
      if (timer) clearInterval(timer)
      await store.withdrawScheduling().catch(() => undefined) // It expires by itself.
    },
  }
}
