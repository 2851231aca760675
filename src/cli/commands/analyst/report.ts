import { Option } from 'commander'
import { quoteForShell } from '../../../core/text/quote-for-shell.js'
import type { ReportRequest } from '../../../report-files/make-report.js'
import type { Store } from '../../../store/contract.js'
import { type App, withStore } from '../../app.js'
import type { Cli, RegisterCommand } from '../../cli-context.js'
import { FailedError, UsageError } from '../../cli-error.js'
import { byOption, operatorName } from '../../input/operator-name.js'
import {
  type AsOfOption,
  asOfOption,
  type ChannelOption,
  channelOption,
  type JsonOption,
  jsonOption,
  overridesOf,
  type SetOption,
  setOption,
  type VolumeOption,
  volumeOption,
  withExamples,
} from '../../input/options.js'
import { databaseNow, parseReadFilter } from '../../input/read-filter.js'
import { checkFreshOptions, type FreshOptions, readFresh } from '../../input/read-fresh.js'
import { requireRfq } from '../../input/require-rfq.js'
import { configuredChannel } from '../../input/select-channels.js'
import { formatRecommendation, printJson } from '../../output/output.js'
import { outputFile } from '../../output/output-file.js'
import { createProgress } from '../../output/progress.js'

type Options = ChannelOption &
  AsOfOption &
  SetOption &
  VolumeOption &
  JsonOption & { all?: boolean; out?: string; force?: boolean; by?: string } & FreshOptions

/** `report [RFQ]`: writes the offer comparison of an RFQ, or the overview of a channel or of all. */
export const register: RegisterCommand = (command, cli) => {
  command
    .argument('[rfq]', 'number, reference or id of the RFQ; omit it for an overview')
    .addOption(channelOption())
    .addOption(new Option('--all', 'the overview of all channels in one workbook').conflicts('channel'))
    .addOption(asOfOption())
    .addOption(volumeOption())
    .addOption(setOption())
    .option('--out <file>', 'path of the file (default: named after RFQ and time, in reports.directory)')
    .option('--force', 'overwrite the file of --out if it exists')
    .option('--fresh', 'read the RFQ and its offers from the marketplace first')
    .option('--or-stored', 'with --fresh: if that fails, report on what is recorded')
    .addOption(byOption('who makes the report, as shown in it'))
    .addOption(jsonOption('print the figures of the report as JSON and write no file'))
    .action((match: string | undefined, options: Options) => {
      checkFreshOptions(options, match)
      return withStore(
        cli,
        (store, app) =>
          match === undefined
            ? writeOverview(cli, { store, app }, options)
            : writeComparison(cli, { store, app }, options, match),
        { ...overridesOf(options), readOnly: false, secrets: options.fresh ? 'required' : 'if-set' },
      )
    })
  withExamples(
    command,
    ['quotekeeper report 1012', 'compare the offers; prints the path of the workbook'],
    ['quotekeeper report 1012 --as-of yesterday --out yesterday.xlsx', 'as they were known at the end of yesterday'],
    ['quotekeeper report 1012 --set discountRate=0.05 --set awardTolerance=0', 'with other settings for this report'],
    ['quotekeeper report 1012 --fresh', 'with what the marketplace shows now'],
    ['quotekeeper report --channel acme/forest', 'the overview of one channel'],
    ['quotekeeper report --all', 'the overview of all channels'],
  )
}

interface ReportContext {
  store: Store
  app: App
}

async function writeComparison(cli: Cli, context: ReportContext, options: Options, name: string): Promise<void> {
  const { app, store } = context
  const file = fileOf(cli, app, options)
  const filter = await parseReadFilter(cli, context, options, 'rfqs')
  const search = { name, withoutResponses: true, ...filter }
  const { rfq } = await (options.fresh ? readFresh(cli, context, search, options) : requireRfq(store, search))
  const request = {
    ...{ channel: rfq.channel, rfqId: rfq.id, now: await databaseNow(store, cli.io.now()), madeBy: makerOf(options) },
    ...(filter.asOf && { asOf: filter.asOf }),
  }
  if (!options.json) return writeReport(cli, app, { ...request, ...file })
  const [{ buildRfqReport }, { rfqReportSource }, { viewConfigOf }] = await Promise.all([
    import('../../../tables/rfq/build-rfq-report.js'),
    import('../../../report-files/make-report.js'),
    import('../../../tables/source.js'),
  ])
  printJson(cli.io, await buildRfqReport(rfqReportSource(store, viewConfigOf(app.config), request)))
}

async function writeOverview(cli: Cli, { store, app }: ReportContext, options: Options): Promise<void> {
  for (const option of ['asOf', 'json', 'volume', 'set'] as const)
    if (options[option] !== undefined)
      throw new UsageError(`--${option === 'asOf' ? 'as-of' : option} is about one RFQ: name it`)
  const channel = channelOf(app, options)
  const file = fileOf(cli, app, options)
  // The overview of a channel that was never read would look as if the channel were empty.
  if ((await store.firstPollAt(channel === null ? {} : { channel })) === null) {
    const [what, only] = channel === null ? ['', ''] : [` of ${channel}`, ` --channel ${quoteForShell(channel)}`]
    throw new FailedError(`nothing is stored${what} yet; run \`quotekeeper sync${only}\` to poll the marketplace`)
  }
  const { recordRecommendations } = await import('../../service/keep-recommendations.js')
  await recordRecommendations(cli, app)
  const now = await databaseNow(store, cli.io.now())
  await writeReport(cli, app, { channel, now, madeBy: makerOf(options), ...file })
}

const makerOf = ({ by }: Options): string => by ?? operatorName()

/** Makes a report, with a progress bar on a terminal. Prints its path, and the recommendation on stderr. */
async function writeReport({ io }: Cli, app: App, request: ReportRequest): Promise<void> {
  const progress = await createProgress(io)
  progress.start('sheets')
  const making = app.makeReport(request, { signal: io.stop, onProgress: progress.update })
  const { path, recommendation } = await making.finally(progress.end)
  io.out(`${path}\n`)
  io.err(formatRecommendation(recommendation, io.width))
}

/** The channel of an overview; null for all. */
function channelOf({ config }: App, { channel, all }: Options): string | null {
  if (channel !== undefined) return configuredChannel(config, channel).key
  const [first, ...others] = config.channels.map(({ key }) => key)
  if (all || first === undefined) return null
  if (others.length === 0) return first
  throw new UsageError(`choose --all, or one channel with --channel: ${[first, ...others].join(', ')}`)
}

/** The requested file, checked before the report is made. */
function fileOf({ io }: Cli, { config }: App, { out, json, force = false }: Options) {
  if (force && out === undefined) throw new UsageError('--force overwrites the file of --out; use both')
  return out === undefined || json ? {} : { out: outputFile(out, { cwd: io.cwd, config, force }), mustBeNew: !force }
}
