import type { EventRecord } from '../core/events/events.js'
import { chatMessage } from './chat-message.js'
import type { NotifyTarget, SendResult } from './contract.js'
import { postNotification, sendToWebhook } from './webhook.js'

/** The most events of a message. A webhook gets each in a separate request; chats count those for which there is no room. */
export const maxEvents = ({ type }: NotifyTarget): number => (type === 'webhook' ? 1 : type === 'email' ? 200 : 5000)

export interface Message {
  /** The same at every attempt. */
  messageId: string
  events: readonly [EventRecord, ...EventRecord[]]
}

/** Sends a message once. Never rejects, except with the reason of the signal. */
export type SendMessage = (
  target: NotifyTarget,
  message: Message,
  options: { now: Date; signal: AbortSignal },
) => Promise<SendResult>

/** @param reportsDirectory the only folder from which files are attached */
export const createSendMessage =
  ({ reportsDirectory }: { reportsDirectory: string }): SendMessage =>
  async (target, { messageId, events }, options) => {
    switch (target.type) {
      case 'webhook':
        return sendToWebhook(target, events[0], options)
      case 'email': {
        const { sendEmail } = await import('./email.js') // Heavy, so loaded only when needed.
        return sendEmail(target, events, { ...options, messageId, reportsDirectory })
      }
      default:
        return postNotification(target, JSON.stringify(chatMessage(target.type, events)), options)
    }
  }
