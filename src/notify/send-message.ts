import { createHash } from 'node:crypto'
import { chatMessage } from './chat-message.js'
import type { Message, SendMessage } from './contract.js'
import { postNotification, sendToWebhook } from './webhook.js'

/** A message about events. Its id differs if the events do, because receivers may drop an id that they have seen. */
export function toMessage(events: Message['events']): Message {
  const hash = createHash('sha256').update(events.map(({ id }) => id).join())
  return { messageId: `msg_${hash.digest('hex').slice(0, 32)}`, events }
}

/** @param reportsDirectory the only folder from which files are attached */
export const createSendMessage =
  ({ reportsDirectory }: { reportsDirectory: string }): SendMessage =>
  async (target, message, options) => {
    switch (target.type) {
      case 'webhook':
        return sendToWebhook(target, message, options)
      case 'email': {
        const { sendEmail } = await import('./email.js') // Heavy, so loaded only when needed.
        return sendEmail(target, message, { ...options, reportsDirectory })
      }
      default:
        return postNotification(target, JSON.stringify(chatMessage(target.type, message.events)), options)
    }
  }
