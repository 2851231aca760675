/** The faults Quotekeeper must survive, and the expected behaviour. `npm run faults` writes them to docs/RELIABILITY.md. */
export const matrix: Readonly<Record<number, { fault: string; expected: string }>> = {
  1: { fault: '401 on a read', expected: 'no retry; the run stops and reports the error' },
  2: { fault: '403 on a read', expected: 'as for 401, and only for that channel' },
  3: { fault: '404 for the channel', expected: 'reported as a configuration error; nothing is marked missing' },
  4: {
    fault: '404 for a response that the list still shows',
    expected: 'its summary is kept, the response is marked unavailable, the poll continues',
  },
  5: { fault: '500 or 503 on a read', expected: 'retried; if it persists, that RFQ or the run fails' },
  6: {
    fault: '429 with Retry-After (seconds, date, invalid, very long)',
    expected:
      'honoured up to 60 s; a longer one ends the run as partial and delays the next; it applies to all channels of the host',
  },
  7: {
    fault: '400, 403 or 404 on a close',
    expected: 'no retry; read again: settled if closed, otherwise recorded as refused',
  },
  8: { fault: '500 on a close', expected: 'the outcome is unknown: read first, then at most one more POST' },
  9: {
    fault: 'a close takes effect but its reply is lost',
    expected: 'read again and found closed; one POST in total',
  },
  10: { fault: 'a close answered with {ok: false}', expected: 'read again; recorded as refused' },
  11: { fault: 'a due date extended just before the close', expected: 'the fresh read prevents the POST' },
  12: { fault: 'a reply that hangs or trickles', expected: 'one deadline covers headers and body' },
  13: { fault: 'a connection reset in the middle of a body', expected: 'retried' },
  14: { fault: 'a body cut short without a content length', expected: 'counts as a failed read and is retried' },
  15: {
    fault: 'HTML with status 200, or a wrong content type',
    expected: 'the read fails; the error quotes the start of the body without control characters',
  },
  16: { fault: 'a huge body or a compression bomb', expected: 'reading stops when the decoded bytes reach the limit' },
  17: { fault: 'a document that does not match the schema', expected: 'stored whole with valid = 0, never closed' },
  18: {
    fault: 'an unknown field or enum value',
    expected: 'stored, used and reported; an RFQ in an unknown state is never closed',
  },
  19: {
    fault: 'duplicate ids in a list',
    expected: 'equal documents count once; if they differ, a problem is recorded and all are kept',
  },
  20: {
    fault: 'an RFQ disappears from the list',
    expected: 'missing_since is set; the RFQ is never deleted and never closed',
  },
  21: {
    fault: 'the list is suddenly empty or halved',
    expected: 'the run is partial, nothing is marked missing, closing is blocked',
  },
  22: { fault: 'a redirect', expected: 'an error; the API key is not sent to another address' },
  23: { fault: 'clock skew', expected: 'no closes beyond the allowed skew' },
  24: { fault: 'Redis killed and restarted', expected: 'work resumes within 20 s; no job takes effect twice' },
  25: { fault: 'Redis failover', expected: 'commands refused with READONLY are retried' },
  26: { fault: 'Redis emptied', expected: 'the next tick schedules new jobs' },
  27: { fault: 'Redis out of memory', expected: 'readiness fails, and recovers when there is room' },
  28: { fault: 'a duplicated job on two workers', expected: 'the run lock in the database lets only one take effect' },
  29: { fault: 'two schedulers', expected: 'one job per tick' },
  30: { fault: 'a stalled job', expected: 're-queued within 45 s, without harm' },
  31: { fault: 'an invalid job payload', expected: 'rejected by its schema and not retried' },
  32: { fault: 'NUL or an unpaired surrogate in text', expected: 'kept by store and queue, replaced in the workbook' },
  33: {
    fault: 'kill -9 during a transaction',
    expected: 'the database keeps its complete state from before the transaction',
  },
  34: {
    fault: 'a full disk',
    expected: 'the write is rolled back and reported; data stays readable; work resumes when there is room',
  },
  35: {
    fault: 'a locked database',
    expected: 'the write waits; if the lock persists, the run fails and the next one succeeds',
  },
  36: { fault: 'a corrupt database', expected: 'refused at start with instructions' },
  37: {
    fault: 'the database of another version',
    expected: 'refused, with what to do',
  },
  38: { fault: 'several processes creating the database at once', expected: 'one creates it, the others wait' },
  39: {
    fault: 'SIGTERM during a run',
    expected: 'the run finishes, or stops without storing partial RFQs; a second signal ends the process at once',
  },
  40: { fault: 'a process out of memory', expected: 'handled like a stalled job and a kill' },
  41: { fault: 'a daylight saving change at a tick', expected: 'ticks at fixed times happen once on both days' },
  42: { fault: 'an invalid cron expression, time zone or date', expected: 'rejected as a configuration error' },
  43: { fault: 'a file path in a title', expected: 'file names contain only slugs, and files stay in their folder' },
  44: {
    fault: 'formulas and control characters in text',
    expected: 'formulas stay text, and the XML stays well-formed',
  },
  45: { fault: '50,000 offers in one RFQ', expected: 'the event loop is never blocked for more than 1 s' },
  46: {
    fault: 'a small list that takes much memory to parse',
    expected: 'too many entries are counted and rejected before parsing; memory stays below 512 MiB',
  },
  47: {
    fault: 'a read-only disk',
    expected: 'refused with what to do; works again when it is writable',
  },
  48: {
    fault: 'kill -9 during a restore',
    expected: 'the database is the replaced or the restored one, whole; the replaced one is never lost',
  },
  49: {
    fault: 'a folder that cannot be created',
    expected: 'reported, and the program ends',
  },
  50: {
    fault: 'an RFQ that always fails',
    expected: 'it is named; the rest of its channel is polled, and readiness holds',
  },
  51: {
    fault: 'duplicate keys, or a number that parsing changes',
    expected: 'a problem is recorded; the document is stored as received with valid = 0, and never closed',
  },
  52: {
    fault: 'a process with another database on the same Redis',
    expected: 'it has a queue of its own; runs no job of the others',
  },
  53: {
    fault: 'a worker whose configuration lacks the channel of a job',
    expected: 'the job is returned to the queue and done by another worker',
  },
  54: {
    fault: 'an identifier that a database or a URL cannot express',
    expected: 'stored without loss, and not missing at later polls; an RFQ that cannot be requested is named',
  },
  55: {
    fault: 'three processes send requests to one marketplace',
    expected:
      'their sum stays within `perSecond`, and each within `concurrency`; each gets its share, and one goes on when another is killed',
  },
  56: {
    fault: 'Retry-After answered to one of three processes',
    expected: 'all pause',
  },
  57: {
    fault: 'the file of the request limits locked, damaged or deleted',
    expected: 'locked: nothing is sent and the run fails; damaged or deleted: it is replaced, and the rate holds',
  },
  58: {
    fault: 'two prunings at once',
    expected: 'every idle run is deleted once; polls go on',
  },
  59: {
    fault: 'the closing log rewritten as a whole',
    expected: 'a head hash kept outside the database shows it',
  },
  61: {
    fault: 'kill -9 of a poll before its events are delivered',
    expected: 'each event exists if and only if what it tells was recorded, and is delivered after the restart',
  },
  62: {
    fault: 'a notification target that does not answer',
    expected: 'polls and other targets do not wait; what was being sent is sent again',
  },
}
