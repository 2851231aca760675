/** A reply that needs far more memory to parse than its size suggests. */
export const memoryExhaustingReply = {
  kind: 'text',
  text: `{"items":[${'{},'.repeat(3_000_000)}{}]}`,
  contentType: 'application/json',
} as const
