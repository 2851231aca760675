import type { z } from 'zod'
import type { Answer } from '../answer-size.js'
import type { McpDeps } from '../contract.js'

/** A tool of the server. */
export interface Tool {
  name: string
  title: string
  description: string
  input: z.ZodObject
  answer(args: Record<string, unknown>, deps: McpDeps): Promise<Answer>
}

/** Checks the types of a tool: it takes the arguments that its schema accepts. */
export const tool = <Input extends z.ZodObject>(
  definition: Omit<Tool, 'input' | 'answer'> & {
    input: Input
    answer(args: z.output<Input>, deps: McpDeps): Promise<Answer>
  },
): Tool => definition as unknown as Tool

/** The version of a document that something comes from. */
export const sourceOf = (document: 'rfq' | 'offer', id: string, version: number | null, observedAt: string) => ({
  source: { document, id, version, observedAt },
})
