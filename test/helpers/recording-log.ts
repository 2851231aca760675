import type { Log } from '../../jobs/contract.js'

/** A log that records level, message and facts of each line. */
export interface RecordingLog extends Log {
  lines: { level: string; message: string; facts: Record<string, unknown> }[]
  /** The messages of one level. */
  at(level: 'debug' | 'info' | 'warn' | 'error'): string[]
}

export function recordingLog(): RecordingLog {
  const lines: RecordingLog['lines'] = []
  const write = (level: string) => (facts: unknown, message?: string) => {
    if (typeof facts === 'string') lines.push({ level, message: facts, facts: {} })
    else lines.push({ level, message: message ?? '', facts: facts as Record<string, unknown> })
  }
  return {
    lines,
    at: (level) => lines.filter((line) => line.level === level).map((line) => line.message),
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
  } as RecordingLog
}
