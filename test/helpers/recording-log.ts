import type { Log } from '../../jobs/contract.js'

export type RecordingLog = ReturnType<typeof recordingLog>

/** A log that records level, message and facts of each line. */
export function recordingLog() {
  const lines: { level: string; message: string; facts: Record<string, unknown> }[] = []
  const write = (level: string) => (facts: unknown, message?: string) => {
    if (typeof facts === 'string') lines.push({ level, message: facts, facts: {} })
    else lines.push({ level, message: message ?? '', facts: facts as Record<string, unknown> })
  }
  const log = { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') } as Log
  return Object.assign(log, {
    lines,
    /** The messages of one level. */
    at: (level: 'debug' | 'info' | 'warn' | 'error') =>
      lines.filter((line) => line.level === level).map((line) => line.message),
  })
}
