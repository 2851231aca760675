import type { RunEnd } from './contract.js'
import type { RunRow } from './run-queries.js'
import type { Dialect, Transaction } from './sql-database.js'
import { toStoredText } from './stored-text.js'

/**
 * How many documents a run has found new, changed or missing, each once, and of those how many (`finished`) of RFQs that are not in a
 * list.
 */
const countChanges = ({ anyOf }: Dialect) => `
select change, count(*) as n, coalesce(sum(case when ${anyOf('rfq', '@unfinished')} then 0 else 1 end), 0) as finished
from (
  select case when min(version) = 1 then 'inserted' else 'changed' end as change,
    case when kind = 'rfq' then id else rfq_id end as rfq
  from versions where run_id = @runId group by kind, rfq_id, id
  union all
  select 'missing' as change, case when kind = 'rfq' then id else rfq_id end as rfq
  from absences where run_id = @runId group by kind, rfq_id, id
) changes
group by change`

interface Changes {
  inserted: number
  changed: number
  missing: number
}

/** What a run has recorded: in all, and of RFQs that are not in the list. */
async function changesOf(
  tx: Transaction,
  runId: number,
  unfinishedRfqs: readonly string[],
): Promise<{ all: Changes; finished: Changes }> {
  const rows = await tx.all<{ change: string; n: number; finished: number }>(countChanges(tx.dialect), {
    runId,
    unfinished: unfinishedRfqs.map(toStoredText),
  })
  const count = (change: string, key: 'n' | 'finished') => rows.find((row) => row.change === change)?.[key] ?? 0
  const changes = (key: 'n' | 'finished') => ({
    inserted: count('inserted', key),
    changed: count('changed', key),
    missing: count('missing', key),
  })
  return { all: changes('n'), finished: changes('finished') }
}

/**
 * Counts what a shared poll recorded, whichever process did, once none writes for it any more.
 * @param row of the run, with the sums of its finished parts
 * @returns the counts, which it stores
 */
export async function countSharedRun(
  tx: Transaction,
  row: RunRow,
  { unfinishedRfqs }: NonNullable<RunEnd['shared']>,
): Promise<Changes & { unchanged: number }> {
  const { all, finished } = await changesOf(tx, row.id, unfinishedRfqs)
  const documents = row.inserted + row.changed + row.unchanged
  const counts = { ...all, unchanged: Math.max(0, documents - finished.inserted - finished.changed) }
  await tx.run(
    `update runs set inserted = @inserted, changed = @changed, missing = @missing, unchanged = @unchanged
    where id = @id`,
    { id: row.id, ...counts },
  )
  return counts
}

/** Stores what the finished parts of a shared poll say, and what was recorded: all that is known of a run whose process died. */
export async function keepCountsOfParts(tx: Transaction, id: number): Promise<void> {
  const parts = await tx.all<{ result: string | null; requests: number }>(
    'select result, requests from poll_parts where run_id = @id',
    { id },
  )
  if (parts.length === 0) return
  const { all } = await changesOf(tx, id, [])
  await tx.run(
    `update runs set requests = @requests, seen = @seen, inserted = @inserted, changed = @changed, missing = @missing
    where id = @id`,
    {
      id,
      requests: parts.reduce((sum, { requests }) => sum + requests, 0),
      seen: parts.reduce((sum, { result }) => sum + seenIn(result), 0),
      ...all,
    },
  )
}

/** Of the result of a part, which is otherwise not read here; 0 if it does not say. No result may keep the next run from beginning. */
function seenIn(result: string | null): number {
  try {
    const { seen } = JSON.parse(result ?? '{}') as { seen?: unknown }
    return Number.isSafeInteger(seen) ? (seen as number) : 0
  } catch {
    return 0
  }
}
