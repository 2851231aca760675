import type { EventKind } from '../core/events/events.js'

export const TARGET_TYPES = ['webhook', 'slack', 'teams', 'email'] as const
/** The encryption of a connection to a mail server: STARTTLS, TLS, or none (on loopback only). */
export const SECURITIES = ['starttls', 'tls', 'none'] as const

export interface SmtpServer {
  host: string
  port: number
  security: (typeof SECURITIES)[number]
  user: string | null
  password: string | null
}

/** A program that receives each event as a signed POST (Standard Webhooks). */
export interface WebhookTarget {
  name: string
  type: 'webhook'
  url: string
  /** Whether the URL is configured by `{ env }` or `{ file }`. */
  isUrlSecret: boolean
  /** `whsec_…`. */
  secret: string
}

/** An incoming webhook of a chat. The URL is a secret. */
export interface ChatTarget {
  name: string
  type: 'slack' | 'teams'
  url: string
}

export interface EmailTarget {
  name: string
  type: 'email'
  smtp: SmtpServer
  from: string
  to: string[]
  /** A cron expression: sends everything since the last digest in one message. Null: sends at once. */
  digest: string | null
  /** Attaches the workbook of `report.made`. */
  attachWorkbook: boolean
}

/** Where notifications are sent. */
export type NotifyTarget = WebhookTarget | ChatTarget | EmailTarget

/** Selects events, and the targets to which they are sent. */
export interface NotifyRoute {
  kinds: EventKind[]
  /** `org/slug`; null: all. */
  channels: string[] | null
  /** Names of targets. */
  to: string[]
}

export interface NotifyConfig {
  targets: NotifyTarget[]
  routes: NotifyRoute[]
  /** Days before the response due date at which an RFQ is due soon. */
  dueSoonDays: number
}

/** The result of sending a message. */
export type SendResult =
  | {
      kind: 'delivered'
      /** A partial failure, such as an address that was refused. */
      warning?: string
    }
  | {
      kind: 'failed'
      /** `target`: it cannot be reached or used; `message`: it rejects this message. */
      because: 'target' | 'message'
      status: number | null
      error: string
      /** The pause that the target asked for. */
      retryAfterMs: number | null
    }
