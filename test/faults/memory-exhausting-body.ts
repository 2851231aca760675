/** An answer of few bytes that takes much memory to read. */
export const manyItems = {
  kind: 'text',
  text: `{"items":[${'{},'.repeat(3_000_000)}{}]}`,
  contentType: 'application/json',
} as const
