const entries = Array.from({ length: 24 }, (_, n) => `{"id":"${n}","x":[${'[0],'.repeat(99_999)}[0]]}`)

/** Within all limits, but far larger in memory than as text: each `[0]` takes 64 bytes. */
export const memoryExhaustingReply = {
  kind: 'text',
  text: `{"items":[${entries.join()}]}`,
  contentType: 'application/json',
} as const
