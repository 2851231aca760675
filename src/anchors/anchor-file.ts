import { closeSync, fstatSync, fsyncSync, openSync, readFileSync, readSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { type Anchor, AnchorError, type AnchorLine, formatAnchor, parseAnchor, parseAnchorLines } from './anchor.js'

/** More than the length of any anchor. */
const MAX_LINE_BYTES = 4096

/**
 * Appends an anchor to a file and flushes it to disk. Creates the file (mode 0600).
 * @throws AnchorError if the file is not an anchor file, or cannot be written
 */
export function appendAnchor(path: string, anchor: Anchor): void {
  withErrors(path, () => {
    const { exists, endsInLine } = inspect(path)
    const handle = openSync(path, 'a', 0o600)
    try {
      // A single write, so that lines of two processes do not mix. After a crash, the last line may be incomplete.
      writeFileSync(handle, `${endsInLine ? '' : '\n'}${formatAnchor(anchor)}\n`)
      fsyncSync(handle)
    } finally {
      closeSync(handle)
    }
    if (!exists) flushFolder(dirname(path))
  })
}

/**
 * The newest anchor of a file, or null if there is no file or none in it.
 * @throws AnchorError if the file is not an anchor file, or cannot be read
 */
export const newestAnchor = (path: string): Anchor | null => withErrors(path, () => inspect(path).newest)

/**
 * Reads all anchors of a file.
 * @throws AnchorError if the file cannot be read, or has no anchor
 */
export function readAnchors(path: string): AnchorLine[] {
  return withErrors(path, () => {
    requireRegularFile(path)
    const lines = parseAnchorLines(readFileSync(path, 'utf8'))
    if (lines.some(({ anchor }) => anchor !== null)) return lines
    throw new AnchorError(
      `${path} contains no anchor. Give a file that quotekeeper closings --anchor FILE has written.`,
    )
  })
}

interface Inspection {
  exists: boolean
  /** False if the file ends in an incomplete line. */
  endsInLine: boolean
  newest: Anchor | null
}

/** Reads the first line, which must be an anchor, and the end. */
function inspect(path: string): Inspection {
  if (!statSync(path, { throwIfNoEntry: false })) return { exists: false, endsInLine: true, newest: null }
  requireRegularFile(path)
  const handle = openSync(path, 'r')
  try {
    const { size } = fstatSync(handle)
    if (size === 0) return { exists: true, endsInLine: true, newest: null }
    const [first = ''] = readPart(handle, 0).split('\n')
    if (parseAnchor(first) === null)
      throw new AnchorError(`${path} is not a file of anchors. Nothing was written to it: choose another file.`)
    const end = readPart(handle, Math.max(0, size - MAX_LINE_BYTES))
    const newest = parseAnchorLines(end).findLast(({ anchor }) => anchor !== null)?.anchor ?? null
    return { exists: true, endsInLine: end.endsWith('\n'), newest }
  } finally {
    closeSync(handle)
  }
}

function readPart(handle: number, position: number): string {
  const buffer = Buffer.alloc(MAX_LINE_BYTES)
  return buffer.toString('utf8', 0, readSync(handle, buffer, 0, buffer.length, position))
}

function requireRegularFile(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false })
  if (!found) throw new AnchorError(`There is no file ${path}. quotekeeper closings --anchor FILE writes one.`)
  if (!found.isFile()) throw new AnchorError(`${path} is not a regular file. Give the path of a file of anchors.`)
}

/** Flushes a folder, so that a new file survives a power failure. */
function flushFolder(folder: string): void {
  const handle = openSync(folder, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

const REASONS: Record<string, string> = {
  ENOENT: 'its folder does not exist; create it',
  EACCES: 'this user has no permission',
  EPERM: 'this user has no permission',
  EROFS: 'the file system is read-only',
  ENOSPC: 'no space is left on the disk',
  EDQUOT: 'the quota of this user is used up',
}

function withErrors<T>(path: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof AnchorError) throw error
    const { code = '', message } = error as NodeJS.ErrnoException
    throw new AnchorError(`The anchor file ${path} cannot be used: ${REASONS[code] ?? message}.`, { cause: error })
  }
}
