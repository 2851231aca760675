/** Plain descriptions of common error codes. */
const MEANINGS: Record<string, string> = {
  ECONNREFUSED: 'connection refused: nothing listens at that address',
  ECONNRESET: 'the connection was reset',
  ENOTFOUND: 'unknown host name',
  EAI_AGAIN: 'the host name could not be resolved; the name server may be down',
  ERR_SSL_WRONG_VERSION_NUMBER:
    'the server does not speak TLS on that port; the address may need http, or another port',
  EPIPE: 'the connection was closed',
  UND_ERR_CONNECT_TIMEOUT: 'connecting timed out',
  UND_ERR_SOCKET: 'the server closed the connection',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'the body length differs from Content-Length',
  Z_BUF_ERROR: 'the compressed body is incomplete',
  Z_DATA_ERROR: 'the compressed body is corrupt',
}

/**
 * Describes a network error in a few words. Uses a library's message only for unknown codes and never its whole error
 * object, which may contain parts of the reply.
 */
export function describeNetworkError(error: unknown): string {
  const { code, message } = rootCause(error)
  if (code && Object.hasOwn(MEANINGS, code)) return `${MEANINGS[code]}, ${code}`
  return [message, code].filter(Boolean).join(', ') || 'unknown network error'
}

/** If every address of a host failed, Node throws an AggregateError with an empty message. */
function rootCause(error: unknown): { code?: string; message?: string } {
  if (error instanceof AggregateError && error.errors.length > 0) return rootCause(error.errors[0])
  return error instanceof Error ? error : {}
}
