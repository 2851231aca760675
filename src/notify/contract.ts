import type { EventKind } from '../core/events/events.js'
import type { TargetPage } from '../store/contract.js'

export const TARGET_TYPES = ['webhook', 'slack', 'teams', 'email'] as const
/** The encryption of a connection to a mail server: STARTTLS, TLS, or none (on loopback only). */
export const SECURITIES = ['starttls', 'tls', 'none'] as const

interface SmtpServer {
  host: string
  port: number
  security: (typeof SECURITIES)[number]
  user: string | null
  password: string | null
}

interface AnyTarget {
  name: string
  /** What it takes. */
  kinds: EventKind[]
  /** `org/slug`; null: of all channels. Events that belong to no channel are always taken. */
  channels: string[] | null
}

/** A program that receives pages of events as signed POSTs (Standard Webhooks). */
export interface WebhookTarget extends AnyTarget {
  type: 'webhook'
  url: string
  /** Whether the URL is configured by `{ env }` or `{ file }`. */
  isUrlSecret: boolean
  /** `whsec_…`. */
  secret: string
}

/** An incoming webhook of a chat. The URL is a secret. */
export interface ChatTarget extends AnyTarget {
  type: 'slack' | 'teams'
  url: string
}

export interface EmailTarget extends AnyTarget {
  type: 'email'
  smtp: SmtpServer
  from: string
  to: string[]
  /** A cron expression: at its ticks, sends everything since the last in one message. Null: sends at once. */
  digest: string | null
  /** Attaches the workbook of `report.made`. */
  attachWorkbook: boolean
}

/** Where notifications are sent. */
export type NotifyTarget = WebhookTarget | ChatTarget | EmailTarget

/** The result of sending a message. */
export type SendResult =
  /** `warning`: a partial failure, such as an address that was refused. */
  | { kind: 'delivered'; warning?: string }
  /** The target was reached, and refuses the content: sending it again would not help. An error may contain a secret. */
  | { kind: 'refused'; status: number | null; error: string }
  /** @param retryAfterMs the pause that the target asked for */
  | { kind: 'failed'; status: number | null; error: string; retryAfterMs: number | null }

/** Sends events in one message, once. Never rejects, except with the reason of the signal. */
export type SendMessage = (
  target: NotifyTarget,
  events: TargetPage['events'],
  options: { now: Date; signal: AbortSignal },
) => Promise<SendResult>
