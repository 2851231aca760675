import { readdirSync, readFileSync, statSync } from 'node:fs'

/** Another process that has a file open. */
export interface FileUser {
  pid: number
  /** Its command line, shortened to 80 characters. */
  command: string
}

const MAX_COMMAND_LENGTH = 80

/**
 * Finds the other processes that have one of these files open. Only Linux shows them: those of this user in this container, or all for root.
 */
export function findFileUsers(paths: readonly string[]): FileUser[] {
  const wanted = new Set(paths.flatMap((path) => identity(path) ?? []))
  const users = wanted.size === 0 ? [] : processIds().filter((pid) => openFiles(pid).some((file) => wanted.has(file)))
  return users.map((pid) => ({ pid, command: commandOf(pid) }))
}

export const describeFileUsers = (users: readonly FileUser[]): string =>
  users.map(({ pid, command }) => `process ${pid} (${command})`).join(', ')

/** Device and inode, which identify a file under every name and in every container. */
function identity(path: string): string | null {
  try {
    const { dev, ino } = statSync(path, { bigint: true })
    return `${dev}:${ino}`
  } catch {
    return null
  }
}

const processIds = () =>
  list('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .map(Number)

const openFiles = (pid: number) =>
  list(`/proc/${pid}/fd`).flatMap((descriptor) => identity(`/proc/${pid}/fd/${descriptor}`) ?? [])

function commandOf(pid: number): string {
  try {
    const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').join(' ').trim()
    return words.length > MAX_COMMAND_LENGTH ? `${words.slice(0, MAX_COMMAND_LENGTH - 1)}…` : words || 'unknown'
  } catch {
    return 'unknown'
  }
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
