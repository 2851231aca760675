import type { Problem } from '../core/lenient-parser.js'
import type { Connection } from './connection.js'
import type { EntityKey } from './document-values.js'
import type { Observations } from './observed-events.js'
import { fromStoredText, toStoredText } from './stored-text.js'

/** Of two first messages found at one moment, as in two RFQs that have an offer with one identifier, only the last is ever known. */
const KEEP_MESSAGE = `
insert into earlier_problem_messages
select channel, kind, entity_id, path, code, message, @stamp from problems
where channel = @channel and kind = @kind and entity_id = @id and path = @path and code = @code and message <> @message
  and first_seen_at < @stamp
on conflict do nothing`

/** Records the problems of a document that was read, and counts known ones as seen again. Within a transaction only. */
export function upsertProblems(
  connection: Connection,
  { channel, kind, id }: EntityKey,
  problems: readonly Problem[],
  { stamp, observed }: { stamp: string; observed: Observations },
): void {
  for (const problem of problems) {
    const key = { channel, kind, id, path: toStoredText(problem.path), code: problem.code }
    const message = toStoredText(problem.message)
    connection.statement(KEEP_MESSAGE).run({ ...key, message, stamp })
    const upserted = connection.statement(
      `insert into problems values (@channel, @kind, @id, @path, @code, @message, @stamp, @stamp, 1)
      on conflict do update set message = excluded.message, last_seen_at = excluded.last_seen_at, times = times + 1
      returning times`,
    )
    const times = upserted.pluck().get({ ...key, message, stamp })
    if (times === 1) observed.problems.push({ kind, id: fromStoredText(id), problem })
  }
}
