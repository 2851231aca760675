import { createHash } from 'node:crypto'
import type { EventRecord } from '../core/events/events.js'
import { cleanLine } from '../core/text/clean-text.js'
import { chatMessage } from './chat-message.js'
import type { NotifyTarget, SendMessage, SendResult } from './contract.js'
import { postNotification, sendToWebhook } from './webhook.js'

interface SendOptions {
  /** The only folder from which files are attached. */
  reportsDirectory: string
  /** Removes secrets from an error, which may quote what the target answered. */
  scrub: (text: string) => string
}

const MAX_ERROR = 400

export const createSendMessage =
  ({ reportsDirectory, scrub }: SendOptions): SendMessage =>
  async (target, events, options) => {
    const result = await sendTo(target, events, { ...options, reportsDirectory })
    // Scrubbed before it is cut, which could leave an unrecognizable part of a secret.
    return result.kind === 'delivered' ? result : { ...result, error: cleanLine(scrub(result.error), MAX_ERROR) }
  }

async function sendTo(
  target: NotifyTarget,
  events: readonly EventRecord[],
  options: { now: Date; signal: AbortSignal; reportsDirectory: string },
): Promise<SendResult> {
  // Differs if the events do, because receivers may drop an id that they have seen.
  const hash = createHash('sha256').update(events.map(({ id }) => id).join())
  const messageId = `msg_${hash.digest('hex').slice(0, 32)}`
  switch (target.type) {
    case 'webhook':
      return sendToWebhook(target, events, { messageId, ...options })
    case 'email': {
      const { sendEmail } = await import('./email.js') // Heavy, so loaded only when needed.
      return sendEmail(target, events, { messageId, ...options })
    }
    default:
      return postNotification(target.url, JSON.stringify(chatMessage(target.type, events)), options)
  }
}
