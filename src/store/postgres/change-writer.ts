import type { Transaction } from '../sql-database.js'
import type { DocumentChanges } from './document-changes.js'
import type { DocumentState } from './document-columns.js'
import type { ProblemKey } from './found-problems.js'
import { POSTGRES } from './postgres-database.js'

const sameKey = (a: string, b: string) =>
  `${a}.channel = ${b}.channel and ${a}.kind = ${b}.kind and ${a}.rfq_id = ${b}.rfq_id and ${a}.id = ${b}.id`

const COLUMNS = `e.channel, e.kind, e.rfq_id, e.id, e.version, e.first_observed_at, e.last_observed_at, e.last_read_at,
  e.changed_at, e.missing_since, e.list_hash, e.listed_hash, e.listed_at, e.recording, e.full_read_at, e.requested_at,
  e.summary_hash, e.read_summary_hash, e.etag, e.last_modified, e.fingerprint, e.has_problems, e.state, e.due_date,
  v.valid, v.content_hash, v.shape`

/** The stored state of documents of a channel. @param where selects from `entities e` */
export const loadDocuments = (
  tx: Transaction,
  where: string,
  parameters: Record<string, string | number | readonly string[]>,
): Promise<DocumentState[]> =>
  tx.all<DocumentState>(
    `select ${COLUMNS} from entities e ${POSTGRES.joinOne('versions', 'v', `${sameKey('v', 'e')} and v.version = e.version`)}
    where e.channel = @channel and ${where} order by e.id`,
    parameters,
  )

const INSERT_ENTITIES = `
insert into entities (channel, kind, rfq_id, id, version, first_observed_at, last_observed_at, last_read_at, changed_at,
  missing_since, list_hash, recording, full_read_at, requested_at, summary_hash, read_summary_hash, etag, last_modified, fingerprint,
  has_problems, state, due_date)
select channel, kind, rfq_id, id, version, first_observed_at, last_observed_at, last_read_at, changed_at, missing_since,
  list_hash, recording, full_read_at, requested_at, summary_hash, read_summary_hash, etag, last_modified, fingerprint, has_problems, state,
  due_date
from json_populate_recordset(null::entities, @rows)`

const INSERT_VERSIONS = `insert into versions select * from json_populate_recordset(null::versions, @rows)`

// The text of the version is read only where another one was received.
const UPDATE_ENTITIES = `
update entities e set version = d.version, last_observed_at = d.last_observed_at, last_read_at = d.last_read_at,
  changed_at = d.changed_at, missing_since = d.missing_since, list_hash = d.list_hash, full_read_at = d.full_read_at,
  listed_hash = d.listed_hash, listed_at = d.listed_at, recording = d.recording,
  listed_body = case when d.listed_at is not null then e.listed_body end,
  requested_at = d.requested_at, summary_hash = d.summary_hash, read_summary_hash = d.read_summary_hash, etag = d.etag,
  last_modified = d.last_modified, fingerprint = d.fingerprint, has_problems = d.has_problems, state = d.state,
  due_date = d.due_date,
  latest_body = case d.latest when 'keep' then e.latest_body
    when 'replace' then (select nullif(d.body, v.body) from versions v where ${sameKey('v', 'd')} and v.version = d.version) end,
  latest_parsed_body = case d.latest when 'keep' then e.latest_parsed_body
    when 'replace' then (
      select case when v.body <> d.body then d.parsed_body end from versions v
      where ${sameKey('v', 'd')} and v.version = d.version) end
from json_to_recordset(@rows) as d (channel text, kind text, rfq_id text, id text, version integer, last_observed_at text,
  last_read_at text, changed_at text, missing_since text, list_hash text, listed_hash text, listed_at text, recording bigint,
  full_read_at text, requested_at text, summary_hash text, read_summary_hash text, etag text, last_modified text,
  fingerprint text, has_problems integer, state text, due_date text, latest text, body text, parsed_body text)
where ${sameKey('e', 'd')}`

const UPDATE_VERSIONS = `
update versions v set superseded_at = coalesce(d.superseded_at, v.superseded_at), valid = d.valid
from json_populate_recordset(null::versions, @rows) d where ${sameKey('v', 'd')} and v.version = d.version`

const INSERT_ABSENCES = 'insert into absences select * from json_populate_recordset(null::absences, @rows)'

const END_ABSENCES = `
update absences a set returned_at = greatest(d.returned_at, a.missing_since) from json_populate_recordset(null::absences, @rows) d
where ${sameKey('a', 'd')} and a.returned_at is null`

const KEEP_MESSAGES = `
insert into earlier_problem_messages (channel, kind, entity_id, path, code, message, until)
select p.channel, p.kind, p.entity_id, p.path, p.code, p.message, d.stamp
from json_to_recordset(@rows) as d (kind text, entity_id text, path text, code text, message text, stamp text)
join problems p on p.channel = @channel and p.kind = d.kind and md5(p.entity_id) = md5(d.entity_id) and md5(p.path) = md5(d.path)
  and p.code = d.code and p.message <> d.message and p.first_seen_at < d.stamp
on conflict do nothing`

const UPSERT_PROBLEMS = `
insert into problems (channel, kind, entity_id, path, code, message, first_seen_at, last_seen_at, times)
select @channel, kind, entity_id, path, code, message, stamp, stamp, times
from json_to_recordset(@rows) as d (kind text, entity_id text, path text, code text, message text, stamp text, times bigint)
on conflict (channel, kind, md5(entity_id), md5(path), code) do update
  set message = excluded.message, last_seen_at = excluded.last_seen_at, times = problems.times + excluded.times
returning kind, entity_id, path, code, times`

const SELECT_TEXTS = `
select v.kind, v.rfq_id, v.id, v.version, coalesce(v.parsed_body, v.body) as text
from json_populate_recordset(null::versions, @rows) d join versions v on ${sameKey('v', 'd')} and v.version = d.version`

/** A statement has rows of about so many characters at most: a large RFQ must not fill the memory, nor block the process. */
const MAX_CHARACTERS = 2 ** 20

/** Rows as JSON lists of a limited length. */
export function* inParts(rows: Iterable<object>): Generator<string> {
  let texts: string[] = []
  let length = 0
  for (const row of rows) {
    const text = JSON.stringify(row)
    texts.push(text)
    length += text.length
    if (length < MAX_CHARACTERS) continue
    yield `[${texts.join()}]`
    texts = []
    length = 0
  }
  if (texts.length > 0) yield `[${texts.join()}]`
}

/** Writes what became of documents of one channel: one statement for each table, unless there are very many. */
export async function writeChanges(tx: Transaction, channel: string, changes: DocumentChanges): Promise<void> {
  const run = async (sql: string, all: Iterable<object>) => {
    for (const rows of inParts(all)) await tx.run(sql, { rows })
  }
  await readTexts(tx, changes)
  await run(INSERT_ENTITIES, changes.inserted.values())
  await run(INSERT_VERSIONS, changes.newVersions.values())
  await run(UPDATE_ENTITIES, changes.updated.values())
  await run(UPDATE_VERSIONS, changes.changedVersions.values())
  await run(INSERT_ABSENCES, changes.absences)
  await run(END_ABSENCES, changes.returned)
  await writeProblems(tx, channel, changes)
}

/** Reads the texts that changed, for events that tell what changed in them. */
async function readTexts(tx: Transaction, { pendingTexts }: DocumentChanges): Promise<void> {
  if (pendingTexts.length === 0) return
  const rows = await tx.all<{ kind: string; rfq_id: string; id: string; version: number; text: string }>(SELECT_TEXTS, {
    rows: JSON.stringify(pendingTexts.map(({ key }) => key)),
  })
  const textName = (key: { kind: string; rfq_id: string; id: string; version: number }) =>
    JSON.stringify([key.kind, key.rfq_id, key.id, key.version])
  const texts = new Map(rows.map((row) => [textName(row), row.text]))
  for (const { key, change } of pendingTexts) {
    if (change.before) change.before.text = texts.get(textName(key)) ?? null
  }
}

async function writeProblems(tx: Transaction, channel: string, { problems }: DocumentChanges): Promise<void> {
  const { rows } = problems
  for (const part of inParts(rows)) {
    await tx.run(KEEP_MESSAGES, { channel, rows: part })
    problems.reportNew(await tx.all<ProblemKey & { times: number }>(UPSERT_PROBLEMS, { channel, rows: part }))
  }
}
