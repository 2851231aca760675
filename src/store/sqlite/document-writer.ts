import { TimeSlice } from '../../core/time/time-slice.js'
import { CHANGING_COLUMNS, DOCUMENT_COLUMNS, SEEN_COLUMNS, VERSION_COLUMNS } from '../documents/document-state.js'
import type { DocumentEngine } from '../documents/recorder.js'
import type { Connection } from './connection.js'

// Statements that run for every document bind values by position, which takes half the time.
const KEY = ['channel', 'kind', 'rfq_id', 'id'] as const
const OF_DOCUMENT = KEY.map((column) => `${column} = ?`).join(' and ')
const insertOf = (table: string, columns: readonly string[]) =>
  `insert into ${table} (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})`
const updateOf = (columns: readonly string[]) =>
  `update documents set ${columns.map((column) => `${column} = ?`).join(', ')} where ${OF_DOCUMENT}`
/** The values of columns of a row, in their order. */
const valuesOf = <Row, Column extends keyof Row>(row: Row, columns: readonly Column[]): Row[Column][] =>
  columns.map((column) => row[column])

const INSERT_DOCUMENT = insertOf('documents', DOCUMENT_COLUMNS)
const INSERT_VERSION = insertOf('versions', VERSION_COLUMNS)
const SEE_DOCUMENT = updateOf(SEEN_COLUMNS)
const UPDATE_DOCUMENT = updateOf(CHANGING_COLUMNS)
const CLEAR_LATEST = `update documents set latest_body = null, latest_parsed_body = null where ${OF_DOCUMENT} and latest_body is not null`
const IS_TEXT_OF_VERSION = `select body = ? from versions where ${OF_DOCUMENT} and version = ?`
const SET_LATEST = updateOf(['latest_body', 'latest_parsed_body'])
const UPDATE_VERSION = `
update versions set superseded_at = coalesce(?, superseded_at), followed_at = ?, valid = ? where ${OF_DOCUMENT} and version = ?`
const INSERT_ABSENCE = `insert into absences (channel, kind, rfq_id, id, not_before, missing_since, returned_at, run_id)
values (@channel, @kind, @rfq_id, @id, @not_before, @missing_since, @returned_at, @run_id)`
const END_ABSENCE = `update absences set returned_at = max(?, missing_since) where ${OF_DOCUMENT} and returned_at is null`
const UPSERT_PROBLEM = `
insert into problems (channel, kind, entity_id, path, code, message, first_seen_at, last_seen_at, times)
values (@channel, @kind, @entity_id, @path, @code, @message, @stamp, @stamp, @times)
on conflict do update set last_seen_at = excluded.last_seen_at, times = times + excluded.times
returning times`
const SELECT_TEXT = `select coalesce(parsed_body, body) from versions where ${OF_DOCUMENT} and version = ?`

/** Writes changes of documents in a transaction of the connection; may yield to the event loop. */
export function createDocumentWriter(connection: Connection): DocumentEngine['save'] {
  const sql = (text: string) => connection.statement(text)
  return async (_, channel, changes) => {
    const slice = new TimeSlice()
    const each = async <T>(rows: Iterable<T>, write: (row: T) => void) => {
      for (const row of rows) {
        write(row)
        if (slice.isOver) await slice.next()
      }
    }
    await each(changes.pendingTexts, ({ key, change }) => {
      const text = sql(SELECT_TEXT).pluck().get(valuesOf(key, KEY), key.version)
      if (change.before) change.before.text = text as string
    })
    await each(changes.inserted, (row) => sql(INSERT_DOCUMENT).run(valuesOf(row, DOCUMENT_COLUMNS)))
    await each(changes.newVersions, (row) => sql(INSERT_VERSION).run(valuesOf(row, VERSION_COLUMNS)))
    await each(changes.updated, ([row, { latest, isSeenOnly }]) => {
      const key = valuesOf(row, KEY)
      if (isSeenOnly) sql(SEE_DOCUMENT).run(valuesOf(row, SEEN_COLUMNS), key)
      else sql(UPDATE_DOCUMENT).run(valuesOf(row, CHANGING_COLUMNS), key)
      if (latest === null) return
      const isOfVersion = latest === 'clear' || sql(IS_TEXT_OF_VERSION).pluck().get(latest.body, key, row.version) === 1
      if (isOfVersion) sql(CLEAR_LATEST).run(key)
      else sql(SET_LATEST).run(latest.body, latest.parsed_body, key)
    })
    await each(changes.changedVersions.values(), (row) =>
      sql(UPDATE_VERSION).run(row.superseded_at, row.followed_at, row.valid, valuesOf(row, KEY), row.version),
    )
    await each(changes.absences, (row) => sql(INSERT_ABSENCE).run(row))
    await each(changes.returned, (row) => sql(END_ABSENCE).run(row.returned_at, valuesOf(row, KEY)))
    const { problems } = changes
    await each(problems.rows, (row) => {
      const times = sql(UPSERT_PROBLEM)
        .pluck()
        .get({ channel, ...row }) as number
      problems.reportNew([{ ...row, times }])
    })
  }
}
