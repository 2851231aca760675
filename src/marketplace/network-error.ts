/** What common codes mean, in words; the code stands beside them. */
const MEANINGS: Record<string, string> = {
  ECONNREFUSED: 'nothing listens at that address',
  ECONNRESET: 'the connection was reset',
  ENOTFOUND: 'the host name is not known',
  EAI_AGAIN: 'the host name could not be looked up now',
  EPIPE: 'the connection was closed',
  UND_ERR_CONNECT_TIMEOUT: 'connecting took too long',
  UND_ERR_SOCKET: 'the other side closed the connection',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'the body has not the announced length',
  Z_BUF_ERROR: 'the compressed body was cut short',
  Z_DATA_ERROR: 'the compressed body is broken',
}

/**
 * Says in a few words why no answer came. Messages of libraries are used only where a code is not known here, and
 * never whole objects: those hold pieces of the answer.
 */
export function describeNetworkError(error: unknown): string {
  const { code, message } = rootCause(error)
  if (code && Object.hasOwn(MEANINGS, code)) return `${MEANINGS[code]}, ${code}`
  return [message, code].filter(Boolean).join(', ') || 'unknown network error'
}

/** Where several addresses of a host failed, Node puts the causes into an AggregateError with an empty message. */
function rootCause(error: unknown): { code?: string; message?: string } {
  if (error instanceof AggregateError && error.errors.length > 0) return rootCause(error.errors[0])
  return error instanceof Error ? error : {}
}
