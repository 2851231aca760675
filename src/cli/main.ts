#!/usr/bin/env node
import { formatError } from './output/error-message.js'
import { type Io, processIo } from './process/process-io.js'
import { createCli, printError, run } from './program.js'
import { stopOnSignals } from './runs/stop-signals.js'

/** How long a handle left open may keep the process alive after its work is done. */
const EXIT_TIMEOUT_MS = 2_000

// Files this program writes (database, workbooks, backups) are readable by their owner only.
process.umask(0o077)
const signals = stopOnSignals((text) => process.stderr.write(text))
const io = openIo()
const cli = createCli(io)
process.on('uncaughtException', (error) => {
  printError(cli, error)
  process.exit(1)
})
process.exitCode = await run(process.argv.slice(2), io, cli)
signals.release()
setTimeout(() => process.exit(), EXIT_TIMEOUT_MS).unref()

/** Fails if the current folder has been deleted. */
function openIo(): Io {
  try {
    return processIo(signals.stop)
  } catch (error) {
    process.stderr.write(formatError(error))
    process.exit(1)
  }
}
