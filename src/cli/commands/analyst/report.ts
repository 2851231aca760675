import { Option } from 'commander'
import type { KnownDocument } from '../../../core/records.js'
import { quoteForShell } from '../../../core/text/quote-for-shell.js'
import type { ReportRequest } from '../../../report-files/make-report.js'
import type { Store } from '../../../store/contract.js'
import { findRfq } from '../../../tables/find-rfq.js'
import { type App, withStore } from '../../app.js'
import type { Cli, RegisterCommand } from '../../cli-context.js'
import { FailedError, UsageError } from '../../cli-error.js'
import {
  asOfOption,
  byOption,
  channelOption,
  operatorName,
  overridesOf,
  type SharedOptions,
  setOption,
  volumeOption,
  withExamples,
} from '../../input/options.js'
import { parseReadFilter } from '../../input/read-filter.js'
import { configuredChannel } from '../../input/select-channels.js'
import { formatRecommendation, newFile, withProgress } from '../../output/output.js'
import { pollChannel } from '../../runs/poll-channel.js'
import { noteOtherSettings } from '../../service/keep-figures.js'

type Options = SharedOptions & { all?: boolean; fresh?: boolean; out?: string }

/** `report [RFQ]`: writes the offer comparison of an RFQ, or the overview of a channel or of all. */
export const register: RegisterCommand = (command, cli) => {
  command
    .argument('[rfq]', 'number, reference or id of the RFQ; omit it for an overview')
    .addOption(channelOption())
    .addOption(new Option('--all', 'the overview of all channels in one workbook').conflicts('channel'))
    .addOption(asOfOption())
    .addOption(volumeOption())
    .addOption(setOption())
    .addOption(
      new Option('--fresh', 'read the RFQ and its offers from the marketplace first').conflicts(['asOf', 'all']),
    )
    .option('--out <file>', 'path of the new file (default: named after RFQ and time, in reports.directory)')
    .addOption(byOption('who makes the report, as shown in it'))
    .action((name: string | undefined, options: Options) =>
      withStore(
        cli,
        (store, app) =>
          name === undefined
            ? writeOverview(cli, { store, app }, options)
            : writeComparison(cli, { store, app }, options, name),
        { ...overridesOf(options), readOnly: false, secrets: options.fresh ? 'required' : 'if-set' },
      ),
    )
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
  const filter = await parseReadFilter(cli, context, options, 'rfqs')
  const { rfq } = await findRfq(context.store, { name, withoutResponses: true, ...filter })
  if (options.fresh) await readAgain(cli, context, rfq)
  await writeReport(cli, context, options, { ...filter, channel: rfq.channel, rfqId: rfq.id })
}

/**
 * Reads the list, and the RFQ with its offers, in a run of its own.
 * @throws FailedError if it could not be read whole
 */
async function readAgain(cli: Cli, { store, app }: ReportContext, rfq: KnownDocument): Promise<void> {
  const { channel, id } = rfq
  const request = { channel: configuredChannel(app.config, channel), kind: 'rfqs', only: id } as const
  const { run, failures } = await pollChannel(cli, app, request)
  const state = (await store.rfqStates(channel)).find((each) => each.id === id)
  const missing = state?.missingSince ? `it is no longer listed since ${state.missingSince}` : null
  // A failure may be of some offers only.
  if (missing === null && failures[0] === undefined && (state?.readAt ?? '') >= run.startedAt) return
  const why = failures[0]?.message ?? (run.outcome === 'failed' ? run.error : missing) ?? 'it is not in the list'
  throw new FailedError(
    `the RFQ could not be read from the marketplace: ${why.replace(/\.$/, '')}. To report on what is recorded, leave out --fresh`,
  )
}

async function writeOverview(cli: Cli, context: ReportContext, options: Options): Promise<void> {
  const { store, app } = context
  for (const option of ['asOf', 'volume', 'set', 'fresh'] as const)
    if (options[option] !== undefined)
      throw new UsageError(`--${option === 'asOf' ? 'as-of' : option} is about one RFQ: name it`)
  const channel = channelOf(app, options)
  // The overview of a channel that was never read would look as if the channel were empty.
  if ((await store.firstPollAt(channel === null ? {} : { channel })) === null) {
    const [what, only] = channel === null ? ['', ''] : [` of ${channel}`, ` --channel ${quoteForShell(channel)}`]
    throw new FailedError(`nothing is stored${what} yet; run \`quotekeeper sync${only}\` to poll the marketplace`)
  }
  await noteOtherSettings(cli, app, store)
  await writeReport(cli, context, options, { channel })
}

/** Makes a report. Prints its path, and the recommendation on stderr. */
async function writeReport(
  { io }: Cli,
  { app }: ReportContext,
  { out, by = operatorName() }: Options,
  about: Pick<ReportRequest, 'channel' | 'rfqId' | 'asOf'>,
): Promise<void> {
  const file = out === undefined ? {} : { out: newFile(io, out) }
  const request = { ...about, ...file, now: io.now(), madeBy: by }
  const { path, recommendation } = await withProgress(io, 'sheets', (onProgress) =>
    app.makeReport(request, { signal: io.stop, onProgress }),
  )
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
