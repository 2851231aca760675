#!/usr/bin/env node
import { formatError } from './output/error-message.js'
import { type Io, processIo } from './process/process-io.js'
import { createCli, printError, run } from './program.js'
import { stopOnSignals } from './runs/stop-signals.js'

// Files this program writes (database, workbooks, backups) are readable by their owner only.
process.umask(0o077)
const signals = stopOnSignals((text) => process.stderr.write(text))
const io = openIo()
const cli = createCli(io)
process.on('uncaughtException', (error) => {
  printError(cli, error)
  void exit(1)
})
await exit(await run(process.argv.slice(2), io, cli))

/** Ends the process once its output has been taken, even if a handle is still open. */
async function exit(code: number): Promise<void> {
  signals.release()
  for (const stream of [process.stdout, process.stderr])
    if (stream.writableLength > 0) await new Promise((resolve) => stream.write('', resolve))
  process.exit(code)
}

/** Fails if the current folder has been deleted. */
function openIo(): Io {
  try {
    return processIo(signals.stop)
  } catch (error) {
    process.stderr.write(formatError(error))
    process.exit(1)
  }
}
