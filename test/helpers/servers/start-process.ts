import { spawn } from 'node:child_process'
import { onTestFinished } from 'vitest'

/** Starts Node.js with these arguments; the process is killed when the test is finished. */
export function startProcess(args: string[], options: { cwd: string; env: NodeJS.ProcessEnv }) {
  const child = spawn(process.execPath, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
  const text = { out: '', err: '' }
  child.stdout.on('data', (data) => {
    text.out += data
  })
  child.stderr.on('data', (data) => {
    text.err += data
  })
  const ended = new Promise<string>((settle) => {
    child.once('close', (code, signal) => settle(signal ?? `exit ${code}`))
  })
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  return Object.assign(text, {
    child,
    pid: child.pid ?? 0,
    signal: (name: NodeJS.Signals) => void child.kill(name),
    /** Resolves when it ends, to e.g. `exit 0` or `SIGKILL`. */
    ended,
  })
}
