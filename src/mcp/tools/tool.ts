import { z } from 'zod'
import { nullableText, text, timestamp } from '../../views/schema.js'
import type { Answer } from '../answer-size.js'
import type { McpDeps } from '../contract.js'

/** A tool of the server. */
export interface Tool {
  name: string
  title: string
  description: string
  input: z.ZodObject
  /** The members of its answer, besides those of every answer. */
  output: z.ZodRawShape
  answer(args: Record<string, unknown>, deps: McpDeps): Promise<Answer>
}

/** Checks the types of a tool: it takes the arguments that its schema accepts. */
export const tool = <Input extends z.ZodObject>(
  definition: Omit<Tool, 'input' | 'answer'> & {
    input: Input
    answer(args: z.output<Input>, deps: McpDeps): Promise<Answer>
  },
): Tool => definition as unknown as Tool

/** What every answer has. */
const ofEveryAnswer = {
  asOf: timestamp.describe('The moment that the answer is about.'),
  freshness: z.array(
    z.looseObject({
      channel: text,
      polledAt: timestamp.nullable(),
      behind: z.boolean().nullable().describe('Null as of a past moment, and without a schedule.'),
      message: text,
    }),
  ),
  shortened: text.describe('Only if the answer was too long, so that texts and lists are cut.'),
}

/** The schema of an answer. Every member is optional, because long answers are shortened. */
export const outputOf = ({ output }: Pick<Tool, 'output'>) => z.looseObject({ ...ofEveryAnswer, ...output }).partial()

const source = z.strictObject({
  document: z.enum(['rfq', 'offer']),
  id: text,
  version: z.int().nullable(),
  observedAt: text,
})

/** Something of a view, with the version that it comes from. */
export const sourced = (shape: z.ZodRawShape) => z.looseObject({ ...shape, source }).partial()
/** A page of them. */
export const pageShape = (item: z.ZodType) => ({
  items: z.array(item),
  nextCursor: nullableText,
  total: z.int().optional(),
})

/** The version of a document that something comes from. */
export const sourceOf = (document: 'rfq' | 'offer', id: string, version: number | null, observedAt: string) => ({
  source: { document, id, version, observedAt },
})
