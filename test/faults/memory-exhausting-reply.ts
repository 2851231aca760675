const responses = `${'{"id":"0"},'.repeat(99_999)}{"id":"0"}`
const entries = Array.from({ length: 24 }, (_, n) => `{"id":"${n}","responses":[${responses}]}`)

/** Within all limits, but far larger in memory than as text: of each entry, what the API description names is kept as objects. */
export const memoryExhaustingReply = {
  kind: 'text',
  text: `{"items":[${entries.join()}]}`,
  contentType: 'application/json',
} as const
