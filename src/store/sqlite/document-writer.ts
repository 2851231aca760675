import { TimeSlice } from '../../core/time-slice.js'
import type { Connection } from '../connection.js'
import { CHANGING_COLUMNS, DOCUMENT_COLUMNS, VERSION_COLUMNS } from '../documents/document-state.js'
import type { DocumentEngine } from '../documents/recorder.js'

const OF_DOCUMENT = 'channel = @channel and kind = @kind and rfq_id = @rfq_id and id = @id'
const parametersOf = (columns: readonly string[]) => columns.map((column) => `@${column}`).join(', ')

const INSERT_DOCUMENT = `insert into documents (${DOCUMENT_COLUMNS.join(', ')}) values (${parametersOf(DOCUMENT_COLUMNS)})`
const INSERT_VERSION = `insert into versions (${VERSION_COLUMNS.join(', ')}) values (${parametersOf(VERSION_COLUMNS)})`
const SET_COLUMNS = CHANGING_COLUMNS.map((column) => `${column} = @${column}`).join(', ')
const UPDATE_DOCUMENT = `update documents set ${SET_COLUMNS} where ${OF_DOCUMENT}`
const CLEAR_LATEST = `update documents set latest_body = null, latest_parsed_body = null where ${OF_DOCUMENT} and latest_body is not null`
const IS_TEXT_OF_VERSION = `select body = @body from versions where ${OF_DOCUMENT} and version = @version`
const SET_LATEST = `update documents set latest_body = @body, latest_parsed_body = @parsed_body where ${OF_DOCUMENT}`
const UPDATE_VERSION = `
update versions set superseded_at = coalesce(@superseded_at, superseded_at), followed_at = @followed_at, valid = @valid
where ${OF_DOCUMENT} and version = @version`
const INSERT_ABSENCE = `insert into absences (channel, kind, rfq_id, id, not_before, missing_since, returned_at, run_id)
values (@channel, @kind, @rfq_id, @id, @not_before, @missing_since, @returned_at, @run_id)`
const END_ABSENCE = `update absences set returned_at = max(@returned_at, missing_since) where ${OF_DOCUMENT} and returned_at is null`
const UPSERT_PROBLEM = `
insert into problems (channel, kind, entity_id, path, code, message, first_seen_at, last_seen_at, times)
values (@channel, @kind, @entity_id, @path, @code, @message, @stamp, @stamp, @times)
on conflict do update set message = excluded.message, last_seen_at = excluded.last_seen_at, times = times + excluded.times
returning times`
const SELECT_TEXT = `select coalesce(parsed_body, body) from versions where ${OF_DOCUMENT} and version = @version`

/** Writes rows of documents within a transaction of a connection; may yield to the event loop. */
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
      if (change.before) change.before.text = sql(SELECT_TEXT).pluck().get(key) as string
    })
    await each(changes.inserted.values(), (row) => sql(INSERT_DOCUMENT).run(row))
    await each(changes.newVersions.values(), ({ parsed: _parsed, ...row }) => sql(INSERT_VERSION).run(row))
    await each(changes.updated.values(), (row) => {
      sql(UPDATE_DOCUMENT).run(row)
      if (row.latest === 'keep') return
      const isReplaced = row.latest === 'replace' && sql(IS_TEXT_OF_VERSION).pluck().get(row) !== 1
      sql(isReplaced ? SET_LATEST : CLEAR_LATEST).run(row)
    })
    await each(changes.changedVersions.values(), (row) => sql(UPDATE_VERSION).run(row))
    await each(changes.absences, (row) => sql(INSERT_ABSENCE).run(row))
    await each(changes.returned, (row) => sql(END_ABSENCE).run(row))
    const { problems } = changes
    await each(problems.rows, (row) => {
      const times = sql(UPSERT_PROBLEM)
        .pluck()
        .get({ channel, ...row }) as number
      problems.reportNew([{ ...row, times }])
    })
  }
}
