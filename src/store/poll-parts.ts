import { randomUUID } from 'node:crypto'
import type { Clock } from '../domain/clock.js'
import { MAX_CLOCK_DIFFERENCE_MS } from './clock-difference.js'
import type { PartClaim, PollParts, PollPartsLeft } from './contract.js'
import { assertLive, LEASE_MS } from './run-leases.js'
import type { SqlDatabase, Transaction } from './sql-database.js'

/** So that other writes, such as the renewal of the run's lease, do not wait for all of them. */
const PARTS_PER_TRANSACTION = 50

const OF_CLAIM = 'run_id = @runId and number = @number and claimed_by = @claimedBy and result is null'
/** A claim farther ahead was made before the clock was set back. */
const IS_FREE = `result is null and (claimed_until is null or claimed_until < @now or claimed_until > @farAhead)`
const HAS_ENDED = `exists (select 1 from poll_parts where run_id = @runId and ends_poll = 1)`

/** @param clock by which claims expire, as leases do */
export function createPollParts(database: SqlDatabase, clock: Clock): PollParts {
  const claimedUntil = () => new Date(clock().getTime() + LEASE_MS).toISOString()
  const moment = () => {
    const now = clock()
    return {
      now: now.toISOString(),
      farAhead: new Date(now.getTime() + LEASE_MS + MAX_CLOCK_DIFFERENCE_MS).toISOString(),
    }
  }
  const keyOf = ({ runId, number, claimedBy }: PartClaim) => ({ runId, number, claimedBy })

  return {
    async addPollParts(run, contents) {
      const remaining = contents[Symbol.iterator]()
      for (let start = 0; ; start += PARTS_PER_TRANSACTION) {
        const chunk = take(remaining, PARTS_PER_TRANSACTION)
        await database.write(async (tx) => {
          await assertLive(tx, run)
          for (const [index, content] of chunk.entries()) {
            await tx.run('insert into poll_parts (run_id, number, content) values (@runId, @number, @content)', {
              ...{ runId: run.id, number: start + index, content },
            })
          }
        })
        if (chunk.length < PARTS_PER_TRANSACTION) return
      }
    },

    claimPollPart({ runId, number }) {
      const claimedBy = randomUUID()
      return database.write(async (tx) => {
        await tx.lock('parts of poll', runId)
        await assertLive(tx, { id: runId })
        const values = { runId, number: number ?? null, ...moment() }
        const free = await tx.get<{ number: number; channel: string; content: string }>(
          `select number, channel, content from poll_parts join runs on id = run_id
          where run_id = @runId and ${IS_FREE} and lease_until >= @now and not ${HAS_ENDED}
            ${number === undefined ? '' : 'and number = @number'}
          order by number limit 1`,
          values,
        )
        if (!free) return null
        await tx.run(
          `update poll_parts set claimed_by = @claimedBy, claimed_until = @until
          where run_id = @runId and number = @free`,
          { runId, free: free.number, claimedBy, until: claimedUntil() },
        )
        return { runId, ...free, claimedBy }
      })
    },

    renewPollPart(claim, requests) {
      return database.write(async (tx) => {
        await addRequests(tx, claim, requests)
        const renewed = await tx.run(`update poll_parts set claimed_until = @until where ${OF_CLAIM}`, {
          ...keyOf(claim),
          until: claimedUntil(),
        })
        if (renewed === 0) return false
        const live = await tx.get(
          `select id from runs where id = @runId and finished_at is null and not ${HAS_ENDED}`,
          keyOf(claim),
        )
        return live !== undefined
      })
    },

    finishPollPart(claim, { result, requests, endsPoll }) {
      return database.write(async (tx) => {
        await assertLive(tx, { id: claim.runId })
        await addRequests(tx, claim, requests)
        const finished = await tx.run(
          `update poll_parts set result = @result, ends_poll = @endsPoll, claimed_until = null, content = ''
          where ${OF_CLAIM}`,
          { ...keyOf(claim), result, endsPoll: endsPoll ? 1 : 0 },
        )
        return finished === 1
      })
    },

    async releasePollPart(claim, requests) {
      await database.write(async (tx) => {
        await addRequests(tx, claim, requests)
        await tx.run(`update poll_parts set claimed_by = null, claimed_until = null where ${OF_CLAIM}`, keyOf(claim))
      })
    },

    async pollPartsLeft(runId) {
      const row = await database.get<{ unfinished: number; free: number; ended: number }>(
        `select count(*) as unfinished, coalesce(sum(case when ${IS_FREE} then 1 else 0 end), 0) as free,
          case when ${HAS_ENDED} then 1 else 0 end as ended
        from poll_parts where run_id = @runId and result is null`,
        { runId, ...moment() },
      )
      return { unfinished: row?.unfinished ?? 0, free: row?.free ?? 0, ended: row?.ended === 1 } satisfies PollPartsLeft
    },

    pollParts(runId) {
      return database.all('select number, result, requests from poll_parts where run_id = @runId order by number', {
        runId,
      })
    },
  }
}

/** They were sent, even if another process has claimed the part since. */
async function addRequests(tx: Transaction, { runId, number }: PartClaim, requests: number): Promise<void> {
  if (requests === 0) return
  const sql = 'update poll_parts set requests = requests + @requests where run_id = @runId and number = @number'
  await tx.run(sql, { runId, number, requests })
}

/** The next items, at most `count`. */
function take<T>(items: Iterator<T>, count: number): T[] {
  const taken: T[] = []
  while (taken.length < count) {
    const next = items.next()
    if (next.done) break
    taken.push(next.value)
  }
  return taken
}
