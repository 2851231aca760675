import { writeFileSync } from 'node:fs'
import { Option } from 'commander'
import { awardText } from '../../../compare/decision/award-state.js'
import { parseStoredRfq } from '../../../compare/input/stored-documents.js'
import { rfqFacts } from '../../../compare/rfq/rfq-terms.js'
import { type AwardOrder, standingText } from '../../../tables/awards/awards.js'
import { findRfq } from '../../../tables/find-rfq.js'
import { awardLines } from '../../../tables/rfq/rfq-view.js'
import { type App, withStore } from '../../app.js'
import type { Cli, RegisterCommand } from '../../cli-context.js'
import { FailedError, UsageError } from '../../cli-error.js'
import {
  asOfOption,
  byOption,
  operatorName,
  overridesOf,
  type SharedOptions,
  setOption,
  volumeOption,
  withExamples,
} from '../../input/options.js'
import { parseReadFilter } from '../../input/read-filter.js'
import { formatRecommendation, newFile, printJson, rfqLabel, tableWidth } from '../../output/output.js'
import { createAwardDesk } from '../../service/award-desk.js'
import { addListOptions, type ListOptions, printList } from '../list-command.js'

type Options = ListOptions &
  SharedOptions & {
    offers?: string[]
    none?: boolean
    because?: string
    withdraw?: boolean
    workbook?: string
    yes?: boolean
  }

/** `award [RFQ]`: records which offers the desk awards, withdraws that, or lists awards. */
export const register: RegisterCommand = (command, cli) => {
  command
    .argument('[rfq]', 'number, reference or id of the RFQ; omit it to list all awards')
    .addOption(
      new Option(
        '--offers <offers>',
        'record that these offers are awarded: their numbers in `compare`, or their ids, separated by commas; can be repeated',
      )
        .argParser((text: string, before: string[] = []) => [...before, ...text.split(',').map((name) => name.trim())])
        .conflicts(['none', 'withdraw', 'workbook']),
    )
    .addOption(new Option('--none', 'record that nothing is awarded').conflicts(['withdraw', 'workbook']))
    .addOption(new Option('--withdraw', 'record that the standing award is withdrawn').conflicts('workbook'))
    .option(
      '--because <text>',
      'reason; required with --none and --withdraw, and unless the award is the recommended one without objections',
    )
    .addOption(byOption('who decided'))
    .option('--yes', 'record it without asking')
    .option('--workbook <file>', 'write the workbook that is kept with the newest award of the RFQ')
    .addOption(asOfOption())
    .addOption(volumeOption())
    .addOption(setOption())
  addListOptions(command, 'awards', 'rfq').action((name: string | undefined, options: Options) => {
    checkOptions(name, options)
    const readOnly = !records(options) && !options.withdraw
    return withStore(cli, (_store, app) => award(cli, app, name, options), { readOnly, ...overridesOf(options) })
  })
  withExamples(
    command,
    ['quotekeeper award', 'list all awards'],
    ['quotekeeper award 1012 --offers 5', 'record that offer no. 5 is awarded, after asking'],
    ['quotekeeper award 1012 --offers 2,5 --because "delivers a year earlier"', 'although others are recommended'],
    ['quotekeeper award 1012 --none --because "the budget was cut"', 'record that nothing is awarded'],
    ['quotekeeper award 1012 --withdraw --because "the developer withdrew"', 'withdraw the award'],
    ['quotekeeper award 1012 --workbook award-1012.xlsx', 'the workbook that the decision was based on'],
  )
}

const records = ({ offers, none }: Options) => offers !== undefined || none === true

/** @throws UsageError for options that need another one */
function checkOptions(name: string | undefined, options: Options): void {
  const { withdraw, workbook, because, by, yes, asOf } = options
  if (name === undefined && (records(options) || withdraw || workbook !== undefined))
    throw new UsageError('--offers, --none, --withdraw and --workbook need an RFQ: quotekeeper award RFQ …')
  if (!records(options) && !withdraw && (because !== undefined || by !== undefined || yes))
    throw new UsageError('--because, --by and --yes belong to --offers, --none or --withdraw; use one of them')
  if (!records(options) && asOf !== undefined)
    throw new UsageError('--as-of names the comparison that an award is based on; use it with --offers or --none')
}

async function award(cli: Cli, app: App, name: string | undefined, options: Options): Promise<void> {
  const store = await app.store()
  const isList = !records(options) && !options.withdraw && options.workbook === undefined
  if (name === undefined || isList)
    return printList({ cli, app, store }, 'awards', { ...options, ...(name !== undefined && { rfq: name }) })
  const filter = await parseReadFilter(cli, { store, app }, options, 'rfqs')
  const { rfq, channel, id } = await findRfq(store, { name, withoutResponses: true, ...filter })
  const found = { channel, id, label: rfqLabel({ id, ...rfqFacts(parseStoredRfq(rfq)) }) }
  if (options.workbook !== undefined) return writeWorkbook(cli, app, found, options.workbook)
  return options.withdraw ? withdraw(cli, app, found, options) : record(cli, app, { found, asOf: filter.asOf }, options)
}

interface FoundRfq {
  channel: string
  id: string
  label: string
}

const deskOf = async ({ io }: Cli, { store, makeReport }: App) =>
  createAwardDesk({ store: await store(), makeReport, now: io.now })

async function record(
  cli: Cli,
  app: App,
  { found, asOf }: { found: FoundRfq; asOf: Date | undefined },
  { offers = [], because, by = operatorName(), yes, json }: Options,
): Promise<void> {
  const { io } = cli
  const now = io.now()
  const order: AwardOrder = {
    ...{ channel: found.channel, rfqId: found.id, offers, because: because ?? null, by },
    ...{ asOf: asOf ?? now, now, settings: app.config.reports.settings },
  }
  const prepared = await (await app.views()).prepareAward(order)
  const { state, refusals } = prepared
  if (refusals.length > 0 || state === null) throw new FailedError(`nothing was recorded: ${refusals.join(' ')}`)
  if (!json) show(cli, found, awardLines(state))
  await confirm(cli, 'Record this?', yes)
  const result = await (await deskOf(cli, app)).record(order, prepared)
  if ('standing' in result) throw new FailedError(`nothing was recorded: ${standingText(result.standing)}`)
  if (json) printJson(io, result.recorded)
  else io.out(`\nRecorded as award ${result.recorded.id}, with its workbook.\n`)
}

async function withdraw(
  cli: Cli,
  app: App,
  found: FoundRfq,
  { because, by = operatorName(), yes, json }: Options,
): Promise<void> {
  const { io } = cli
  const { channel, id: rfqId } = found
  const [standing] = await (await app.store()).awards({ channel, rfqId, standing: true, limit: 1 })
  const noAward = new FailedError(`no award of RFQ ${found.label} stands; nothing was recorded`)
  if (standing === undefined) throw noAward
  if (because === undefined) throw new UsageError('say why the award is withdrawn: --because TEXT')
  if (!json) show(cli, found, [`Withdraw: ${awardText(standing)}.`])
  await confirm(cli, 'Withdraw this award?', yes)
  const withdrawn = await (await deskOf(cli, app)).withdraw({ channel, rfqId, award: standing.id, because, by })
  if (withdrawn === null) throw noAward
  if (json) printJson(io, withdrawn)
  else io.out(`\nAward ${withdrawn.id} is withdrawn. If it was accepted on the marketplace, settle that there.\n`)
}

/** Prints what is about to be recorded. */
const show = ({ io }: Cli, found: FoundRfq, lines: readonly string[]) =>
  io.out(`RFQ ${found.label} in ${found.channel}\n\n${formatRecommendation(lines, tableWidth(io))}`)

/** @throws FailedError unless the person agrees */
async function confirm({ io }: Cli, question: string, yes: boolean | undefined): Promise<void> {
  if (yes) return
  if (io.prompt === null)
    throw new UsageError('there is no terminal on which to ask; use --yes to record it without asking')
  const answer = await io.prompt.ask(`${question} (yes/no)`)
  if (!/^y(es)?$/i.test(answer)) throw new FailedError('nothing was recorded')
}

async function writeWorkbook({ io }: Cli, { store }: App, found: FoundRfq, workbook: string): Promise<void> {
  const path = newFile(io, workbook)
  const { awards, awardFile } = await store()
  const [newest] = await awards({ channel: found.channel, rfqId: found.id, limit: 1 })
  const content = newest && (await awardFile(newest.id))
  if (!content) throw new FailedError(`there is no award of RFQ ${found.label}; nothing was written`)
  writeFileSync(path, content, { mode: 0o600, flag: 'wx' })
  io.out(`${path}\n`)
}
