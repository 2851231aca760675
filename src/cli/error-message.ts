import { ConfigError } from '../config/config-error.js'
import { UsageError } from './cli-error.js'

/** 2 for wrong usage or configuration, else 1. */
export const exitStatusFor = (error: unknown): 1 | 2 =>
  error instanceof ConfigError || error instanceof UsageError ? 2 : 1

/**
 * What went wrong as one sentence with the remedy, ending in a line break.
 * @param details also tell the stack and the causes
 */
export function formatError(error: unknown, details = false): string {
  const text = `quotekeeper: ${errorMessage(error)}\n`
  return details && error instanceof Error ? `${text}\n${stackOf(error)}\n` : text
}

/** Errors that were made for people carry their remedy; those of the system get it here; the rest is our fault. */
export function errorMessage(error: unknown): string {
  if (!(error instanceof Error)) return `stopped by ${String(error)}`
  if (isUserFacing(error)) return error.message
  const { code, syscall } = error as NodeJS.ErrnoException
  if (code && syscall) return systemErrorMessage(error)
  return `${error.message || error.name}. This is a fault of the program; --log-level debug shows where it happened.`
}

/**
 * The errors of the project, by name: loading every room to ask for its classes would make the program slow to start.
 * A test holds this together with the classes there are.
 */
const USER_FACING = new Set(
  (
    'Config Usage Failed Plan Store RunBusy RunLost IntentOpen UnusableDatabase ' +
    'Marketplace Unavailable Item Channel Paused Aborted QueueUnavailable RefusedJob RunFailed Listen UnknownRfq StateFile Sandbox'
  )
    .split(' ')
    .map((name) => `${name}Error`),
)
/** Whether an error was made to be read by people. */
export const isUserFacing = ({ name }: { name: string }) => USER_FACING.has(name)

function systemErrorMessage(error: NodeJS.ErrnoException): string {
  const what = error.path ?? addressOf(error)
  if (error.code === 'EEXIST' && error.syscall === 'mkdir') return `${what} is a file where a folder was wanted`
  const remedies: Record<string, string> = {
    EADDRINUSE: `${what} is in use by another program: stop it, or choose another port`,
    EADDRNOTAVAIL: `${what} is no address of this machine: choose another host`,
    EACCES: `${what} may not be used by this user: change its permissions, or choose another`,
    EPERM: `${what} may not be used by this user: change its permissions, or choose another`,
    EROFS: `${what} is on a read-only file system: choose another place`,
    ENOENT: `${what} does not exist`,
    EISDIR: `${what} is a folder where a file was wanted`,
    ENOTDIR: `${what}: a part of the path is a file, not a folder`,
    EEXIST: `${what} exists already`,
    ENOSPC: `no room left on the disk for ${what}: make room and run again`,
    ECONNREFUSED: `nothing answers at ${what}: is it running, and is the address right?`,
  }
  return remedies[error.code ?? ''] ?? error.message
}

function addressOf(error: NodeJS.ErrnoException & { address?: string; port?: number }): string {
  return error.port === undefined ? (error.syscall ?? 'it') : `${error.address ?? 'port'}:${error.port}`
}

function stackOf(error: Error): string {
  const own = error.stack ?? error.message
  return error.cause instanceof Error ? `${own}\ncaused by ${stackOf(error.cause)}` : own
}
