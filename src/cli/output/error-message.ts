import { isUserFacing } from '../../core/user-facing-error.js'

const USAGE_ERRORS: readonly string[] = ['ConfigError', 'UsageError', 'FilterError']

/** The exit status for an error: 2 for wrong usage or configuration, otherwise 1. */
export const exitStatusFor = (error: unknown): 1 | 2 => (USAGE_ERRORS.includes(Object(error).name) ? 2 : 1)

/**
 * An error as one line for stderr, with the remedy if there is one.
 * @param details adds the stack and the causes
 */
export function formatError(error: unknown, details = false): string {
  const text = `quotekeeper: ${errorMessage(error)}\n`
  return details && error instanceof Error ? `${text}\n${stackOf(error)}\n` : text
}

/** What went wrong and what to do, in one sentence. Errors that are neither ours nor the system's are reported as bugs. */
export function errorMessage(error: unknown): string {
  if (!(error instanceof Error)) return `unexpected error: ${String(error)}`
  if (isUserFacing(error)) return error.message
  const { code, syscall } = error as NodeJS.ErrnoException
  if (code && syscall) return systemErrorMessage(error)
  const known = ENVIRONMENT_MESSAGES.find(([pattern]) => pattern.test(`${code ?? ''} ${error.message}`))
  if (known) return `${known[1]} (${error.message.split('\n')[0]})`
  return `${error.message || error.name}. This is a bug in Quotekeeper; --log-level debug prints the stack trace`
}

/** Errors of the installation or of a path that reach us without a system call: what to do about each. */
const ENVIRONMENT_MESSAGES: readonly [RegExp, string][] = [
  [
    /ERR_DLOPEN_FAILED|NODE_MODULE_VERSION|Could not locate the bindings file/,
    `a compiled module does not match Node.js ${process.version}: run the Node.js version that Quotekeeper was installed with, ` +
      'or install Quotekeeper again with this one',
  ],
  [/ERR_MODULE_NOT_FOUND|MODULE_NOT_FOUND/, 'a file of the installation is missing: install Quotekeeper again'],
  [/because the directory does not exist/, 'the folder of the database does not exist: create it, or check the path'],
  [/null bytes/, 'a path contains a null character: check the paths in the configuration'],
]

function systemErrorMessage(error: NodeJS.ErrnoException): string {
  if (error.syscall === 'uv_cwd') return 'the current folder does not exist any more: change to another folder'
  const target = error.path ?? addressOf(error)
  if (error.code === 'EEXIST' && error.syscall === 'mkdir')
    return `${target} is a file, but a folder is needed there: move it, or choose another path`
  if (error.code === 'ENOENT' && error.syscall === 'mkdir')
    return `the folder ${target} cannot be created there: choose another path`
  const denied = `this user has no permission for ${target}: change the permissions, or choose another`
  const messages: Record<string, string> = {
    EADDRINUSE: `${target} is in use by another program: stop it, or choose another port`,
    EADDRNOTAVAIL: `${target} is not an address of this machine: choose another host`,
    EACCES: denied,
    EPERM: denied,
    EROFS: `${target} is on a read-only file system: choose another path`,
    ENOENT: `${target} does not exist: check the path`,
    EISDIR: `${target} is a folder, but a file is needed: choose another path`,
    ENOTDIR: `part of the path ${target} is a file, not a folder: check the path`,
    EEXIST: `${target} already exists: remove it, or choose another path`,
    ENAMETOOLONG: `the name ${target} is too long: choose a shorter path`,
    ELOOP: `${target} is a link that leads to itself: check the path`,
    ENOSPC: `no space left on the disk for ${target}: free some space and run again`,
    ECONNREFUSED: `${target} refused the connection: check that the server is running and that the address is correct`,
  }
  return messages[error.code ?? ''] ?? error.message
}

function addressOf(error: NodeJS.ErrnoException & { address?: string; port?: number }): string {
  return error.port === undefined ? (error.syscall ?? 'the system') : `${error.address ?? 'port'}:${error.port}`
}

function stackOf(error: Error): string {
  const stack = error.stack ?? error.message
  return error.cause instanceof Error ? `${stack}\ncaused by ${stackOf(error.cause)}` : stack
}
