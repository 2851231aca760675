import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { createTransport } from 'nodemailer'
import type { EventRecord } from '../core/events/events.js'
import { describeNetworkError } from '../marketplace/errors.js'
import { findReport } from '../report-files/report-folder.js'
import type { EmailTarget, SendResult } from './contract.js'
import { emailMessage } from './email-message.js'

const TIMEOUT_MS = 15_000
/** The timeout from connecting to the last reply, in milliseconds. */
const MAX_TOTAL_MS = 60_000

/**
 * Sends events as one message by SMTP. Never rejects, except with the reason of the signal.
 * @param options.reportsDirectory the folder of reports; only workbooks in it are attached
 */
export async function sendEmail(
  target: EmailTarget,
  events: readonly EventRecord[],
  options: { messageId: string; now: Date; signal: AbortSignal; reportsDirectory: string },
): Promise<SendResult> {
  const { messageId, now, signal, reportsDirectory } = options
  const { smtp, from, to, attachWorkbook } = target
  const attachments = attachWorkbook ? await findWorkbooks(events, reportsDirectory) : []
  const transport = createTransport({
    host: smtp.host,
    port: smtp.port,
    secure: smtp.security === 'tls',
    requireTLS: smtp.security === 'starttls',
    ignoreTLS: smtp.security === 'none',
    ...(smtp.user !== null && { auth: { user: smtp.user, pass: smtp.password ?? '' } }),
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  const stop = AbortSignal.any([signal, AbortSignal.timeout(MAX_TOTAL_MS)])
  try {
    signal.throwIfAborted()
    const sending = transport.sendMail({
      from: { name: 'Quotekeeper', address: from },
      to: to.map((address) => ({ name: '', address })),
      messageId: `<${messageId}@${from.slice(from.indexOf('@') + 1)}>`,
      date: now,
      headers: { 'Auto-Submitted': 'auto-generated' },
      attachments,
      ...emailMessage(events),
    })
    const stopped = once(stop, 'abort').then(() => {
      throw new Error(`not sent within ${MAX_TOTAL_MS / 1000} s`)
    })
    const { rejected } = await Promise.race([sending, stopped])
    if (rejected.length === 0) return { kind: 'delivered' }
    return { kind: 'delivered', warning: `${rejected.length} of ${to.length} addresses refused` }
  } catch (error) {
    signal.throwIfAborted()
    return toFailure(error as SmtpError, smtp)
  } finally {
    transport.close()
  }
}

type SmtpError = Error & { code?: string; responseCode?: number; response?: string }

function toFailure(error: SmtpError, { host, port }: EmailTarget['smtp']): SendResult {
  const { code = '', responseCode = null, response } = error
  const reason = response ?? describeNetworkError(error)
  const failure = { status: responseCode, error: `${host}:${port}: ${reason}` }
  // The server takes the addresses, and refuses the text for good.
  if (code === 'EMESSAGE' && responseCode !== null && responseCode >= 500) return { kind: 'refused', ...failure }
  return { kind: 'failed', ...failure, retryAfterMs: null }
}

/** Of all attachments. Workbooks beyond it are not attached; the message has their names. */
const MAX_BYTES = 15 * 2 ** 20

/** The workbooks of `report.made` events that still are in the folder of reports. */
async function findWorkbooks(events: readonly EventRecord[], directory: string) {
  const names = events.flatMap(({ kind, data }) => (kind === 'report.made' && data.report ? [data.report.name] : []))
  const found: { filename: string; content: Buffer }[] = []
  let bytes = 0
  for (const name of new Set(names)) {
    const path = await findReport(directory, name)
    const content = path && (await readFile(path).catch(() => null))
    if (!content || bytes + content.length > MAX_BYTES) continue
    bytes += content.length
    found.push({ filename: basename(name), content })
  }
  return found
}
