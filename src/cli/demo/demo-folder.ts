import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Config } from '../../config/contract.js'
import type { Sandbox } from '../../sandbox/index.js'

/** The temporary folder of a demo. */
export interface DemoFolder {
  path: string
  config: string
  database: string
  log: string
}

/** Creates a folder that only its owner can read. It is kept after the demo, so that the workbooks can be opened. */
export function createDemoFolder(): DemoFolder {
  const path = mkdtempSync(join(tmpdir(), 'quotekeeper-demo-'))
  return {
    path,
    config: join(path, 'quotekeeper.yaml'),
    database: join(path, 'quotekeeper.db'),
    log: join(path, 'quotekeeper.log'),
  }
}

/** One channel shows the dry run; the others close RFQs. */
const AUTO_CLOSE: Readonly<Record<string, Config['channels'][number]['autoClose']>> = { 'meridian/removals': 'dry-run' }

/** Writes a configuration for the sandbox, with the API keys in files next to it. */
export function writeDemoConfig(folder: DemoFolder, sandbox: Sandbox): void {
  for (const [org, key] of Object.entries(sandbox.keys)) {
    writeFileSync(join(folder.path, `${org}.key`), `${key}\n`, { mode: 0o600 })
  }
  writeFileSync(folder.config, configOf(sandbox), { mode: 0o600 })
}

const configOf = ({ url, ratesUrl, world }: Sandbox) => `# Written by quotekeeper demo
baseUrl: ${url}
database: ./quotekeeper.db
channels:
${world.channels.map(channelLine).join('\n')}
# In the time of the sandbox, whose clock is accelerated.
schedule:
  listings: "0 15 */2 * * *"
  rfqs: "0 */20 * * * *"
  closeExpired: "0 */30 * * * *"
  channelReport: "0 0 6 * * *"
requests: { perSecond: 500 }
# Offers are compared in this currency, at rates that the sandbox makes up, as the European Central Bank publishes real ones.
reports: { directory: ./reports, currency: USD, exchangeRates: "${ratesUrl}" }
web: { port: 0 }
`

const channelLine = ({ org, channel }: { org: string; channel: string }) =>
  `  - { org: ${org}, channel: ${channel}, apiKey: { file: ${org}.key }, autoClose: ${AUTO_CLOSE[`${org}/${channel}`] ?? 'on'} }`
