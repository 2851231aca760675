import { SELECT_VERSIONS, type StoredVersion } from '../documents/revalidate.js'
import { type Connection, connect, yieldToEventLoop } from './connection.js'

/** Rows read before yielding to the event loop. */
const MAX_ROWS_PER_TURN = 500

/** Streams the versions on a connection of its own. */
export async function* streamVersions(connection: Connection): AsyncGenerator<StoredVersion> {
  const reader = connect(connection.path)
  try {
    const rows = reader.prepare(SELECT_VERSIONS).iterate() as IterableIterator<StoredVersion>
    let read = 0
    for (const row of rows) {
      yield row
      if (++read % MAX_ROWS_PER_TURN === 0) await yieldToEventLoop()
    }
  } finally {
    reader.close()
  }
}
