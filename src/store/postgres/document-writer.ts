import type { DocumentChanges, DocumentUpdate } from '../documents/changes.js'
import { CHANGING_COLUMNS, DOCUMENT_COLUMNS, SEEN_COLUMNS, VERSION_COLUMNS } from '../documents/document-state.js'
import type { ProblemKey } from '../documents/queries/found-problems.js'
import type { DocumentEngine } from '../documents/recorder.js'
import type { Transaction } from '../sql/sql-database.js'
import { toJsonb } from './jsonb.js'

const sameKey = (a: string, b: string) =>
  `${a}.channel = ${b}.channel and ${a}.kind = ${b}.kind and ${a}.rfq_id = ${b}.rfq_id and ${a}.id = ${b}.id`
const insertFrom = (table: string, columns: readonly string[]) => {
  const list = columns.join(', ')
  return `insert into ${table} (${list}) select ${list} from json_populate_recordset(null::${table}, @rows)`
}

const INSERT_DOCUMENTS = insertFrom('documents', DOCUMENT_COLUMNS)
const INSERT_VERSIONS = insertFrom('versions', [...VERSION_COLUMNS, 'document'])
const updateOf = (columns: readonly string[]) => `
update documents e set ${columns.map((column) => `${column} = d.${column}`).join(', ')}
from json_populate_recordset(null::documents, @rows) d where ${sameKey('e', 'd')}`
const SEE_DOCUMENTS = updateOf(SEEN_COLUMNS)
const UPDATE_DOCUMENTS = updateOf(CHANGING_COLUMNS)
const CLEAR_LATEST = `
update documents e set latest_body = null, latest_parsed_body = null
from json_populate_recordset(null::documents, @rows) d where ${sameKey('e', 'd')} and e.latest_body is not null`
const SET_LATEST = `
update documents e set latest_body = nullif(d.body, v.body), latest_parsed_body = case when v.body <> d.body then d.parsed_body end
from json_populate_recordset(null::versions, @rows) d join versions v on ${sameKey('v', 'd')} and v.version = d.version
where ${sameKey('e', 'd')}`
const UPDATE_VERSIONS = `
update versions v set superseded_at = coalesce(d.superseded_at, v.superseded_at), followed_at = d.followed_at, valid = d.valid
from json_populate_recordset(null::versions, @rows) d where ${sameKey('v', 'd')} and v.version = d.version`
const INSERT_ABSENCES = 'insert into absences select * from json_populate_recordset(null::absences, @rows)'
const END_ABSENCES = `
update absences a set returned_at = greatest(d.returned_at, a.missing_since) from json_populate_recordset(null::absences, @rows) d
where ${sameKey('a', 'd')} and a.returned_at is null`
const UPSERT_PROBLEMS = `
insert into problems (channel, kind, entity_id, path, code, message, first_seen_at, last_seen_at, times)
select @channel, kind, entity_id, path, code, message, stamp, stamp, times
from json_to_recordset(@rows) as d (kind text, entity_id text, path text, code text, message text, stamp text, times bigint)
on conflict (channel, kind, entity_id, path, code) do update
  set last_seen_at = excluded.last_seen_at, times = problems.times + excluded.times
returning kind, entity_id, path, code, times`
const SELECT_TEXTS = `
select v.kind, v.rfq_id, v.id, v.version, coalesce(v.parsed_body, v.body) as text
from json_populate_recordset(null::versions, @rows) d join versions v on ${sameKey('v', 'd')} and v.version = d.version`

/** The approximate maximum length of the rows of a statement, so that a large RFQ neither fills the memory nor blocks the process. */
const MAX_CHARACTERS = 2 ** 20

/** Splits rows into JSON lists of a limited length. */
function* inBatches(rows: Iterable<object>): Generator<string> {
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

/** Writes changes of documents, with one statement for each table unless there are very many rows. */
export const saveDocuments: DocumentEngine['save'] = async (tx, channel, changes) => {
  const run = async (sql: string, all: Iterable<object>) => {
    for (const rows of inBatches(all)) await tx.run(sql, { rows })
  }
  const updated = [...changes.updated]
  await readTexts(tx, changes)
  await run(INSERT_DOCUMENTS, changes.inserted)
  await run(INSERT_VERSIONS, versionRows(changes))
  const rowsOf = (filter: (update: DocumentUpdate) => boolean) =>
    updated.flatMap(([row, update]) => (filter(update) ? [row] : []))
  await run(
    SEE_DOCUMENTS,
    rowsOf(({ isSeenOnly }) => isSeenOnly),
  )
  await run(
    UPDATE_DOCUMENTS,
    rowsOf(({ isSeenOnly }) => !isSeenOnly),
  )
  await run(
    CLEAR_LATEST,
    rowsOf(({ latest }) => latest === 'clear'),
  )
  await run(
    SET_LATEST,
    updated.flatMap(([row, { latest }]) => (latest === null || latest === 'clear' ? [] : [{ ...row, ...latest }])),
  )
  await run(UPDATE_VERSIONS, changes.changedVersions.values())
  await run(INSERT_ABSENCES, changes.absences)
  await run(END_ABSENCES, changes.returned)
  const { problems } = changes
  for (const rows of inBatches(problems.rows))
    problems.reportNew(await tx.all<ProblemKey & { times: number }>(UPSERT_PROBLEMS, { channel, rows }))
}

function* versionRows({ newVersions }: DocumentChanges): Generator<object> {
  for (const { parsed, ...row } of newVersions) yield { ...row, document: toJsonb(parsed()) }
}

/** Reads the previous texts of changed documents, for events that list the changed fields. */
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
