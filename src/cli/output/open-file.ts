import { spawn } from 'node:child_process'
import type { Environment } from '../../config/environment.js'

const OPENERS: Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  // The empty string is the title of the window.
  win32: ['cmd', '/c', 'start', ''],
}

/**
 * Opens a file with the program that the desktop has for it. Does not wait until that is closed.
 * @returns why it could not be opened, or null
 */
export function openFile(path: string, env: Environment): Promise<string | null> {
  const [program, ...args] = OPENERS[process.platform] ?? ['xdg-open']
  return new Promise((resolve) => {
    const opener = spawn(program, [...args, path], { stdio: 'ignore', detached: true, env: { ...env } })
    const finish = (problem: string | null) => {
      clearTimeout(timer)
      opener.unref()
      resolve(problem)
    }
    const timer = setTimeout(() => finish(null), MAX_WAIT_MS)
    opener
      .on('error', ({ message }) => finish(`${program} could not be started: ${message}`))
      .on('close', (status) => finish(status === 0 ? null : `${program} ended with status ${status}`))
  })
}

/** An opener that still runs after this time has found a program. */
const MAX_WAIT_MS = 2_000
