import type { Config } from '../config/contract.js'
import type { TargetPage } from '../store/contract.js'

/** Where notifications are sent. */
export type NotifyTarget = Config['notify']['targets'][number]
type OfType<T extends NotifyTarget['type']> = Extract<NotifyTarget, { type: T }>
/** A program that receives pages of events as signed POSTs (Standard Webhooks). */
export type WebhookTarget = OfType<'webhook'>
export type EmailTarget = OfType<'email'>

/** The result of sending a message. */
export type SendResult =
  /** `warning`: a partial failure, such as an address that was refused. */
  | { kind: 'delivered'; warning?: string }
  /** The target was reached, and refuses the content: sending it again would not help. Errors are one line. */
  | { kind: 'refused'; status: number | null; error: string }
  /** @param retryAfterMs the pause that the target asked for */
  | { kind: 'failed'; status: number | null; error: string; retryAfterMs: number | null }

/** Sends events in one message, once. Never rejects, except with the reason of the signal. */
export type SendMessage = (
  target: NotifyTarget,
  events: TargetPage['events'],
  options: { now: Date; signal: AbortSignal },
) => Promise<SendResult>
