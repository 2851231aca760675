import type { Io } from '../process/process-io.js'

/** A progress bar on a terminal; does nothing elsewhere. */
export interface Progress {
  start(what: string): void
  update(progress: { done: number; total: number }): void
  end(): void
}

const SILENT: Progress = { start: () => undefined, update: () => undefined, end: () => undefined }

/** A progress bar on stderr, drawn only if stderr is a terminal. */
export async function createProgress(io: Io): Promise<Progress> {
  if (!io.stderrIsTerminal) return SILENT
  const { SingleBar } = await import('cli-progress')
  const bar = new SingleBar({
    format: '{what}  {bar}  {value}/{total}',
    barsize: 30,
    barCompleteChar: '━',
    barIncompleteChar: '─',
    hideCursor: false,
    // The cursor stays visible and lines wrap, so that a second Ctrl-C leaves the terminal usable.
    linewrap: true,
    clearOnComplete: true,
    stopOnComplete: false,
    gracefulExit: false,
  })
  let running = false
  return {
    start(what) {
      bar.start(1, 0, { what })
      running = true
    },
    update({ done, total }) {
      bar.setTotal(Math.max(1, total))
      bar.update(done)
    },
    end() {
      if (running) bar.stop()
      running = false
    },
  }
}
