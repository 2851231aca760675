import { resolve } from 'node:path'
import { Option } from 'commander'
import type { Format } from '../../../reports/formats.js'
import type { ReportRequest } from '../../reporting/make-report.js'
import type { Store } from '../../store/contract.js'
import { type App, withStore } from '../app.js'
import type { Cli, RegisterCommand } from '../cli-context.js'
import { UsageError } from '../cli-error.js'
import { findRfq } from '../find-rfq.js'
import {
  type AsOfOption,
  asOfOption,
  type ChannelOption,
  channelOption,
  type JsonOption,
  jsonOption,
  type SetOption,
  setOption,
  withExamples,
} from '../options.js'
import { printJson } from '../output.js'
import { createProgress } from '../progress.js'
import { databaseNow, parseReadFilter } from '../read-filter.js'
import { createReportOrder } from '../report-request.js'
import { findChannel } from '../select-channels.js'

type Options = ChannelOption & AsOfOption & SetOption & JsonOption & { out?: string; format?: Format }

/** As reports/formats.ts has them; named here, because that room is loaded only when a report is made. */
const FORMATS = ['xlsx', 'csv', 'json', 'html'] as const satisfies readonly Format[]

/** `report [RFQ]`: the offer comparison of an RFQ, or the overview of a channel. */
export const register: RegisterCommand = (command, cli) => {
  command
    .argument('[rfq]', 'number, reference or id of the RFQ; without it, the overview of the channel')
    .addOption(channelOption())
    .addOption(asOfOption())
    .addOption(setOption())
    .option('--out <file>', 'the file to write; default: one named after RFQ and moment in reports.directory')
    .addOption(new Option('--format <format>', 'what to write').choices(FORMATS).default('xlsx'))
    .addOption(jsonOption('the figures of the report as one JSON document, and no workbook'))
    .action((match: string | undefined, options: Options) =>
      withStore(
        cli,
        (store, app) =>
          match === undefined
            ? overview(cli, { store, app }, options)
            : comparison(cli, { store, app }, options, match),
        options,
      ),
    )
  withExamples(
    command,
    ['quotekeeper report 1042', 'compare the offers for RFQ 1042; prints the path of the workbook'],
    ['quotekeeper report 1042 --as-of 2026-01-31 --out then.xlsx', 'as they were known at the end of that day'],
    ['quotekeeper report 1042 --set discountRate=0.05 --set weights.price=60', 'judged by other settings, this once'],
    ['quotekeeper report 1042 --format html', 'the same as one page for a browser'],
    ['quotekeeper report --channel acme/forest', 'the overview of one channel'],
  )
}

interface Desk {
  store: Store
  app: App
}

async function comparison(cli: Cli, desk: Desk, options: Options, match: string): Promise<void> {
  const filter = { match, withoutResponses: true, ...(await parseReadFilter(cli, desk, options)) }
  const { rfq } = await findRfq(desk.store, filter)
  const order = { ...(await orderOf(cli, desk, options, rfq.channel)), rfqId: rfq.id }
  if (!options.json) return write(cli, desk.app, { ...order, ...fileOf(cli, options) })
  const { buildRfqReport } = await import('../../reporting/rfq-report.js')
  printJson(cli.io, await buildRfqReport({ ...order, store: desk.store }))
}

async function overview(cli: Cli, desk: Desk, options: Options): Promise<void> {
  for (const channel of channelsOf(desk.app, options)) {
    const order = await orderOf(cli, desk, options, channel)
    if (options.json) {
      const { buildChannelReport } = await import('../../reporting/channel-report.js')
      printJson(cli.io, await buildChannelReport({ ...order, store: desk.store }))
    } else await write(cli, desk.app, { ...order, ...fileOf(cli, options) })
  }
}

/** Makes a report, with a bar for somebody who watches, and prints its path. */
async function write({ io }: Cli, app: App, order: ReportRequest): Promise<void> {
  const progress = await createProgress(io)
  progress.start('sheets')
  const making = app.makeReport(order, { signal: io.stop, onProgress: progress.update })
  io.out(`${(await making.finally(progress.end)).path}\n`)
}

/** One channel where one document or file is asked for, else all. */
function channelsOf({ config }: App, { channel, json, out }: Options): string[] {
  if (channel !== undefined) return [findChannel(config, channel).key]
  const channels = config.channels.map(({ key }) => key)
  if (channels.length > 1 && (json || out !== undefined)) {
    throw new UsageError(`choose one channel with --channel: ${channels.join(', ')}`)
  }
  return channels
}

async function orderOf(cli: Cli, desk: Desk, options: Options, channel: string): Promise<ReportRequest> {
  const now = await databaseNow(desk.store, cli.io.now())
  const { asOf = now } = await parseReadFilter(cli, desk, { ...options, channel })
  return createReportOrder(desk.app.config, { channel, asOf, now })
}

const fileOf = ({ io }: Cli, { out, format }: Options) => ({
  ...(out === undefined ? {} : { out: resolve(io.cwd, out) }),
  ...(format === undefined ? {} : { format }),
})
