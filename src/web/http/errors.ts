import { UserFacingError } from '../../core/user-facing-error.js'
import type { FilterError } from '../../tables/filter-error.js'

/** Ends a request with a status and a message for the client. */
export class HttpError extends UserFacingError {
  readonly statusCode: number
  readonly headers: Readonly<Record<string, string | number>>
  constructor(statusCode: number, message: string, headers: Readonly<Record<string, string | number>> = {}) {
    super(message)
    this.statusCode = statusCode
    this.headers = headers
  }
}

/** By name, because the queue is passed to the web server as functions. */
export const isQueueUnavailable = (error: Error): boolean => error.name === 'QueueUnavailableError'

/** When to try again what the worker pool did not get to. */
const RETRY_SECONDS = 10

/** By name, because errors of the thread that reads pages are copies. */
const DATABASE_ERRORS = /^(Store|DatabaseUnavailable|MissingDatabase|UnknownCommit)Error$/

/**
 * The error to answer with: a refused value, and an unavailable queue or database, are not errors of the web server.
 * @param onError logs what the answer does not say
 */
export function toHttpError(error: Error & { statusCode?: number }, onError: (error: unknown) => void): HttpError {
  if (error instanceof HttpError) return error
  if (error.name === 'FilterError') return new HttpError((error as FilterError).status, error.message)
  if (isQueueUnavailable(error)) return new HttpError(503, 'the queue does not answer; try again later')
  if (error.name === 'PoolUnavailableError') return new HttpError(503, error.message, { 'retry-after': RETRY_SECONDS })
  const { statusCode = 500 } = error
  if (statusCode < 500) return new HttpError(statusCode, error.message)
  onError(error)
  return DATABASE_ERRORS.test(error.name)
    ? new HttpError(503, 'the database cannot be used at the moment; see /readyz and the log')
    : new HttpError(500, 'internal error; see the log')
}

/** The web server cannot listen. The message tells the operator why and what to do. */
class ListenError extends UserFacingError {}

/** Where the port of each command comes from. */
const PORT_SETTINGS = 'for start: web.port in the configuration; for work: --port'

/** Converts a system error of `listen` into an actionable one. */
export function toListenError(error: NodeJS.ErrnoException, host: string, port: number): ListenError {
  return new ListenError(describe(error, host, port), { cause: error })
}

function describe({ code, message }: NodeJS.ErrnoException, host: string, port: number): string {
  switch (code) {
    case 'EADDRINUSE':
      return `port ${port} of ${host} is in use; stop the other program, or choose another port (${PORT_SETTINGS})`
    case 'EACCES':
      return `no permission to listen on port ${port} of ${host}; choose a port above 1023 (${PORT_SETTINGS})`
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `${host} is not an address of this machine; correct web.host in the configuration`
    default:
      return `cannot listen on port ${port} of ${host} (${message}); correct web.host in the configuration, or the port (${PORT_SETTINGS})`
  }
}
