import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Config } from '../../config.js'
import type { Sandbox } from '../../sandbox/index.js'

/** The throw-away folder of a demo. */
export interface DemoFolder {
  path: string
  /** The configuration in it, for whoever wants to look around. */
  config: string
  log: string
}

/** Made for its owner alone; it stays after the demo, so that its workbooks can be opened. */
export function makeDemoFolder(): DemoFolder {
  const path = mkdtempSync(join(tmpdir(), 'quotekeeper-demo-'))
  return { path, config: join(path, 'quotekeeper.yaml'), log: join(path, 'quotekeeper.log') }
}

/** How each channel of the demo is closed: two for real, one only in words. */
const CLOSING: Readonly<Record<string, Config['channels'][number]['autoClose']>> = { 'meridian/removals': 'dry-run' }

/** Writes the configuration of a desk on the sandbox, with its keys in files beside it. */
export function writeDemoConfig(folder: DemoFolder, sandbox: Sandbox, queue: string): void {
  for (const [org, key] of Object.entries(sandbox.keys)) {
    writeFileSync(join(folder.path, `${org}.key`), `${key}\n`, { mode: 0o600 })
  }
  writeFileSync(folder.config, configOf(sandbox, queue), { mode: 0o600 })
}

const configOf = ({ url, world }: Sandbox, queue: string) => `# Written by: quotekeeper demo
baseUrl: ${url}
database: ./quotekeeper.db
queue: ${queue}
channels:
${world.channels.map(channelLine).join('\n')}
# In the time of the sandbox marketplace, which runs fast.
schedule:
  listings: "0 15 */2 * * *"
  rfqs: "0 */20 * * * *"
  closeExpired: "0 */30 * * * *"
  channelReport: "0 0 6 * * *"
requests: { perSecond: 500 }
reports: { directory: ./reports }
web: { port: 0 }
`

const channelLine = ({ org, channel }: { org: string; channel: string }) =>
  `  - { org: ${org}, channel: ${channel}, apiKey: { file: ${org}.key }, autoClose: ${CLOSING[`${org}/${channel}`] ?? 'on'} }`
