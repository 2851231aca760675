import { z } from 'zod'
import { PausedError } from '../marketplace/errors.js'
import { LIST_PROBLEMS, type RfqToRead } from './rfq-to-read.js'

/** A part of a poll: RFQs that one process reads. */
export interface PollPart {
  /** In which due dates of the channel are interpreted. */
  timeZone: string
  /** Whether documents are asked for only if they changed. */
  conditional: boolean
  /** Requests left for responses whose summaries turn out to have changed. */
  left: number
  /** In the order in which they are read. */
  rfqs: RfqToRead[]
}

/** What a process did of a part. What it recorded is in the database. */
export interface PartResult {
  /** Responses that were received or observed. */
  seen: number
  /** RFQs and responses that were recorded, whether new, changed or unchanged. */
  documents: number
  invalid: number
  postponed: number
  failures: { id: string; message: string }[]
  /** Identifiers of RFQs that the marketplace did not send. */
  unreadable: string[]
  /** Those of them that were requested in vain. */
  inVain: string[]
  /** Of a pause that the marketplace asked for, which ends the whole poll; null if it goes on. */
  error: { message: string; until: string } | null
}

/** RFQs of a part: few, so that a process that reads one has soon finished it, and does other work. */
export const PART_SIZE = 25

/** Divides RFQs into parts, in their order. Each gets its share of the requests that are left. */
export function splitIntoParts(
  rfqs: readonly RfqToRead[],
  { left, ...common }: Omit<PollPart, 'rfqs'>,
): [PollPart, ...PollPart[]] {
  const leftBefore = (index: number) => Math.floor((left * Math.min(index, rfqs.length)) / Math.max(1, rfqs.length))
  const partAt = (start: number): PollPart => ({
    ...common,
    left: leftBefore(start + PART_SIZE) - leftBefore(start),
    rfqs: rfqs.slice(start, start + PART_SIZE),
  })
  const parts: [PollPart, ...PollPart[]] = [partAt(0)]
  for (let start = PART_SIZE; start < rfqs.length; start += PART_SIZE) parts.push(partAt(start))
  return parts
}

const problem = z.object({ path: z.string(), code: z.enum(LIST_PROBLEMS), message: z.string() })
const someObject = z.object({ object: z.literal(true) })
const term = z.union([z.string(), z.number(), z.boolean(), z.null(), someObject])
const ids = z.array(z.string())
const rfq = z.object({
  id: z.string(),
  number: z.number().nullable(),
  listHash: z.string(),
  listProblems: z.array(problem),
  listIsLossy: z.boolean(),
  listedResponses: ids,
  terms: z.array(z.object({ state: term, responseDueDate: term })),
  returned: z.boolean(),
  planned: z.object({ responses: ids, postponed: ids }).nullable(),
}) satisfies z.ZodType<RfqToRead>
const part = z.object({
  timeZone: z.string(),
  conditional: z.boolean(),
  left: z.number(),
  rfqs: z.array(rfq),
}) satisfies z.ZodType<PollPart>
const result = z.object({
  seen: z.number(),
  documents: z.number(),
  invalid: z.number(),
  postponed: z.number(),
  failures: z.array(z.object({ id: z.string(), message: z.string() })),
  unreadable: ids,
  inVain: ids.default([]), // Earlier versions do not write it.
  error: z.object({ message: z.string(), until: z.iso.datetime() }).nullable(),
}) satisfies z.ZodType<PartResult>

/** @throws ZodError if a version of Quotekeeper wrote it that divides polls in another way */
export const parsePollPart = (content: string): PollPart => part.parse(JSON.parse(content))
/** @throws ZodError, as `parsePollPart` */
export const parsePartResult = (text: string): PartResult => result.parse(JSON.parse(text))

/** An error that ends a poll whichever process meets it, as data; null for any other: the key of one process may be wrong. */
export function toPartError(error: unknown): PartResult['error'] {
  return error instanceof PausedError ? { message: error.message, until: error.until.toISOString() } : null
}

/** The opposite of `toPartError`. */
export const fromPartError = ({ message, until }: NonNullable<PartResult['error']>): Error =>
  new PausedError(message, new Date(until))
