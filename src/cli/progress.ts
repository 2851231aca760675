import type { Io } from './process-io.js'

/** Shows how far a run is, on a terminal; elsewhere it does nothing. */
export interface Progress {
  start(what: string): void
  update(progress: { done: number; total: number }): void
  end(): void
}

const SILENT: Progress = { start: () => undefined, update: () => undefined, end: () => undefined }

/** A bar on stderr, drawn only for somebody who watches. */
export async function createProgress(io: Io): Promise<Progress> {
  if (!io.stderrIsTerminal) return SILENT
  const { SingleBar } = await import('cli-progress')
  const bar = new SingleBar({
    format: '{what}  {bar}  {value}/{total}',
    barsize: 30,
    barCompleteChar: '━',
    barIncompleteChar: '─',
    hideCursor: false,
    // The terminal is left as it was, also when a second Ctrl-C ends everything.
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
