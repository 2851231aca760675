import { createHash } from 'node:crypto'
import { chatMessage } from './chat-message.js'
import type { SendMessage } from './contract.js'
import { postNotification, sendToWebhook } from './webhook.js'

/** @param reportsDirectory the only folder from which files are attached */
export const createSendMessage =
  ({ reportsDirectory }: { reportsDirectory: string }): SendMessage =>
  async (target, events, options) => {
    // Differs if the events do, because receivers may drop an id that they have seen.
    const hash = createHash('sha256').update(events.map(({ id }) => id).join())
    const messageId = `msg_${hash.digest('hex').slice(0, 32)}`
    switch (target.type) {
      case 'webhook':
        return sendToWebhook(target, events, { messageId, ...options })
      case 'email': {
        const { sendEmail } = await import('./email.js') // Heavy, so loaded only when needed.
        return sendEmail(target, events, { messageId, reportsDirectory, ...options })
      }
      default:
        return postNotification(target.url, JSON.stringify(chatMessage(target.type, events)), options)
    }
  }
