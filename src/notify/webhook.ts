import { Webhook } from 'standardwebhooks'
import type { EventRecord } from '../core/events/events.js'
import { cleanLine } from '../core/text/clean-text.js'
import { UnavailableError } from '../marketplace/errors.js'
import { parseRetryAfter } from '../marketplace/http-date.js'
import { type HttpReply, sendOnce } from '../marketplace/http-exchange.js'
import type { SendResult, WebhookTarget } from './contract.js'
import { describeEvent } from './event-text.js'

/** What webhooks get of a page of events (docs/NOTIFICATIONS.md). Members may be added, but not removed or renamed. */
export const webhookBody = (events: readonly EventRecord[]) => ({ events: events.map(webhookEvent) })

const webhookEvent = (event: EventRecord) => ({
  id: event.id,
  sequence: event.sequence,
  type: event.kind,
  timestamp: event.at,
  channel: event.channel,
  rfqId: event.rfqId,
  offerId: event.offerId,
  version: event.version,
  text: describeEvent(event).title,
  data: event.data,
})

/** Posts a page of events, signed according to Standard Webhooks. Rejects only when the signal is aborted. */
export async function sendToWebhook(
  { url, secret }: WebhookTarget,
  events: readonly EventRecord[],
  { messageId, now, signal }: { messageId: string; now: Date; signal: AbortSignal },
): Promise<SendResult> {
  const body = JSON.stringify(webhookBody(events))
  const headers = {
    'webhook-id': messageId,
    'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
    'webhook-signature': new Webhook(secret).sign(messageId, now, body),
  }
  return postNotification(url, body, { headers, now, signal })
}

/** From connecting to the last byte of the reply, in milliseconds. */
const TIMEOUT_MS = 15_000

/** Posts JSON and returns the result. Rejects only when the signal is aborted. */
export async function postNotification(
  url: string,
  body: string,
  { headers = {}, now, signal }: { headers?: Record<string, string>; now: Date; signal: AbortSignal },
): Promise<SendResult> {
  try {
    const sent = { 'content-type': 'application/json', ...headers }
    return toResult(await sendOnce(url, { method: 'POST', headers: sent, body, timeoutMs: TIMEOUT_MS, signal }), now)
  } catch (error) {
    if (!(error instanceof UnavailableError)) throw error
    return { kind: 'failed', status: null, error: error.message, retryAfterMs: null }
  }
}

/** Statuses that refuse the content. Every other failure is an outage of the target. */
const REFUSALS = new Set([400, 413, 422])

function toResult({ status, headers, body }: HttpReply, now: Date): SendResult {
  if (status >= 200 && status < 300) return { kind: 'delivered' }
  const quoted = cleanLine(body.toString('utf8'))
  const remedy = status >= 300 && status < 400 ? ' (redirects are not followed: configure the final address)' : ''
  const error = `status ${status}${remedy}${quoted === '' ? '' : `: ${quoted}`}`
  if (REFUSALS.has(status)) return { kind: 'refused', status, error }
  return { kind: 'failed', status, error, retryAfterMs: parseRetryAfter(headers, now) }
}
