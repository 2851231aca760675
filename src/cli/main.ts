#!/usr/bin/env node
import { processIo } from './io.js'
import { run } from './program.js'
import { stopOnSignals } from './signals.js'

// What this program writes (database, workbooks, keys' neighbours) is its user's alone.
process.umask(0o077)
const signals = stopOnSignals((text) => process.stderr.write(text))
process.exitCode = await run(process.argv.slice(2), processIo(signals.stop))
signals.release()
