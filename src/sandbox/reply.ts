/** The HTTP reply to a request, before faults are applied. */
export interface Reply {
  status: number
  body: Buffer
  /** In addition to content type, content length and date. */
  headers?: Record<string, string>
}

export const jsonReply = (status: number, value: unknown): Reply => ({
  status,
  body: Buffer.from(JSON.stringify(value)),
})

/** The documented error body. The API document does not say what the number in `error` means; here it is the status. */
export const errorReply = (status: number, message: string): Reply =>
  jsonReply(status, { statusCode: status, message, error: status })

/** 405, with the allowed methods in `Allow` (RFC 9110 §15.5.6). */
export const methodNotAllowed = (allowed: readonly string[]): Reply => ({
  ...errorReply(405, `Method not allowed; allowed here: ${allowed.join(', ')}`),
  headers: { allow: allowed.join(', ') },
})
