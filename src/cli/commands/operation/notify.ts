import type { DeliveryRecord, DeliveryState, RedeliveryFilter, TargetState } from '../../../core/events/deliveries.js'
import { scrubError } from '../../../core/text/secret-scrubber.js'
import { didYouMean } from '../../../core/text/suggest.js'
import type { NotifyTarget, SendResult } from '../../../notify/contract.js'
import { plural } from '../../../tables/print/terminal-text.js'
import type { Column } from '../../../tables/print/text-table.js'
import { type App, withApp } from '../../app.js'
import type { Cli, RegisterCommand } from '../../cli-context.js'
import { FailedError, UsageError } from '../../cli-error.js'
import { type ChannelOption, channelOption, jsonOption, limitOption, withExamples } from '../../input/options.js'
import { parseReadFilter } from '../../input/read-filter.js'
import { addListOptions, type ListColumn, type ListOptions, printList } from '../../output/list.js'
import { formatMinute, printJson, printTable } from '../../output/output.js'

interface Options extends ChannelOption, ListOptions {
  /** True without a name. */
  test?: string | true
  retry?: string
  from?: number
  target?: string
}

/** `notify`: lists what could not be sent, sends a test, or sends again. */
export const register: RegisterCommand = (command, cli) => {
  command
    .option('--test [target]', 'send a test to this target, or to all')
    .option('--retry <id>', 'send a notification of the list again, or `all` of them; the running service does so')
    .option('--from <sequence>', 'send again what was sent or not, of the events from this sequence on', parseSequence)
    .option('--target <target>', 'with --retry all or --from: only to this target')
    .addOption(channelOption())
    .addOption(limitOption(100))
    .addOption(jsonOption())
    .action((options: Options) => {
      const { test, retry, from, target } = options
      const actions = [test, retry, from].filter((each) => each !== undefined)
      if (actions.length > 1) throw new UsageError('use one of --test, --retry and --from')
      if (target !== undefined && retry !== 'all' && from === undefined)
        throw new UsageError('--target is for --retry all and --from')
      if (actions.length > 0 && options.channel !== undefined)
        throw new UsageError('--channel is for the list; --test, --retry and --from are about targets')
      if (test !== undefined) return sendTests(cli, options, test)
      return actions.length === 0 ? list(cli, options) : sendAgain(cli, options)
    })
  addListOptions(command, deliveryColumns)
  withExamples(
    command,
    ['quotekeeper notify --test', 'send a test to every target'],
    ['quotekeeper notify', 'what could not be sent yet, or at all, and why'],
    ['quotekeeper notify --retry all', 'when the cause is removed'],
    ['quotekeeper notify --from 1200 --target crm', 'when the receiver lost what it had'],
  )
}

// --- tests ----------------------------------------------------------------------------------------------------------

interface TestResult {
  target: string
  type: NotifyTarget['type']
  ok: boolean
  message: string
}

const sendTests = (cli: Cli, { json }: Options, name: string | true) =>
  withApp(
    cli,
    { secrets: 'required', logTo: 'stderr', defaultLevel: 'warn', createDatabase: false },
    async ({ config }) => {
      const targets = chooseTargets(config.notify.targets, name)
      const { createSendMessage } = await import('../../../notify/send-message.js')
      const { testEvent } = await import('../../../notify/test-event.js')
      const send = createSendMessage({ reportsDirectory: config.reports.directory })
      const results = await Promise.all(
        targets.map(async (target): Promise<TestResult> => {
          const event = testEvent(cli.io.now())
          const options = { now: cli.io.now(), signal: cli.io.stop }
          const result = await send(target, { messageId: event.id, events: [event] }, options)
          return { target: target.name, type: target.type, ...describeTest(cli, result) }
        }),
      )
      if (json) printJson(cli.io, results)
      else printTable(cli.io, TEST_COLUMNS, results, '')
      const failed = results.filter(({ ok }) => !ok)
      if (failed.length > 0)
        throw new FailedError(`${failed.length} of ${plural(results.length, 'test')} could not be sent`)
    },
  )

function chooseTargets(targets: readonly NotifyTarget[], name: string | true): readonly NotifyTarget[] {
  if (targets.length === 0) throw new UsageError('there is no target under notify.targets in the configuration')
  if (name === true) return targets
  const found = targets.filter((target) => target.name === name)
  if (found.length > 0) return found
  const names = targets.map((target) => target.name)
  const suggestion = didYouMean(name, names)
  throw new UsageError(`there is no target ${JSON.stringify(name)}; ${suggestion}Targets: ${names.join(', ')}`)
}

function describeTest({ scrub }: Cli, result: SendResult): Pick<TestResult, 'ok' | 'message'> {
  if (result.kind === 'delivered') return { ok: result.warning === undefined, message: result.warning ?? 'sent' }
  return { ok: false, message: scrub(result.error) }
}

const TEST_COLUMNS: Column<TestResult>[] = [
  { header: 'Target', cell: ({ target }) => target },
  { header: 'Type', cell: ({ type }) => type },
  { header: 'Result', cell: ({ ok }) => (ok ? 'ok' : 'FAILED') },
  { header: 'Details', cell: ({ message }) => message, min: 30 },
]

// --- undelivered ----------------------------------------------------------------------------------------------------

const readOptions = { secrets: 'if-set', logTo: 'stderr', defaultLevel: 'warn', createDatabase: false } as const

const list = (cli: Cli, options: Options) =>
  withApp(cli, { ...readOptions, readOnlyIfNeeded: true }, async (app) => {
    const store = await app.store()
    const { channel } = await parseReadFilter(cli, { store, app }, options)
    const [allTargets, allDeliveries] = await Promise.all([
      store.targetStates().then((found) => withoutSecrets(cli, found)),
      store.deliveries({ limit: MAX_FOLDED }).then((found) => withoutSecrets(cli, found)),
    ])
    const deliveries = allDeliveries.filter((delivery) => channel === undefined || delivery.channel === channel)
    const targets = channel === undefined ? allTargets : allTargets.map((target) => recount(target, deliveries))
    if (options.json) {
      printJson(cli.io, { targets, deliveries: deliveries.slice(0, options.limit) })
      return
    }
    const rows = foldWaiting(deliveries, targets)
    printList(cli, { columns: deliveryColumns, rows, emptyText: emptyText(app, targets) }, options)
    const pending = targets.reduce((sum, target) => sum + target.pending, 0)
    const dead = targets.reduce((sum, target) => sum + target.dead, 0)
    if (deliveries.length > 0) cli.io.err(`${pending} to be sent, ${plural(dead, 'dead letter')}.${remedy(dead)}\n`)
  })

/** The state of a target, about some deliveries only. */
function recount(target: TargetState, deliveries: readonly DeliveryRecord[]): TargetState {
  const count = (wanted: DeliveryState) =>
    deliveries.filter((delivery) => delivery.target === target.target && delivery.state === wanted).length
  return { ...target, pending: count('pending'), dead: count('dead') }
}

/** Deliveries that are read to be folded. */
const MAX_FOLDED = 10_000

/** A row of the table: one delivery, or all that wait behind each other for a target that fails. */
interface DeliveryLine extends Omit<DeliveryRecord, 'kind'> {
  kind: string
  count: number
}

/** What waits for a target that fails is one row, at its oldest delivery. One whose message was rejected waits on its own. */
function foldWaiting(deliveries: readonly DeliveryRecord[], targets: readonly TargetState[]): DeliveryLine[] {
  const failing = new Map(targets.filter(({ failures }) => failures > 0).map((state) => [state.target, state]))
  const isFolded = ({ state, nextAt }: DeliveryRecord) => state === 'pending' && nextAt === null
  const seen = new Set<string>()
  return deliveries.flatMap((delivery): DeliveryLine[] => {
    const target = failing.get(delivery.target)
    if (target === undefined || !isFolded(delivery)) return [{ ...delivery, count: 1 }]
    if (seen.has(target.target)) return []
    seen.add(target.target)
    const pending = deliveries.filter((each) => each.target === target.target && each.state === 'pending')
    const waiting = pending.filter(isFolded)
    const kind = waiting.every((each) => each.kind === delivery.kind) ? delivery.kind : 'several'
    const channel = waiting.every((each) => each.channel === delivery.channel) ? delivery.channel : null
    // More than were read may wait.
    const count = Math.max(waiting.length, target.pending - (pending.length - waiting.length))
    return [{ ...delivery, kind, channel, count, nextAt: target.retryAt, error: target.error ?? delivery.error }]
  })
}

/** Errors that an earlier version stored may contain the address of a target. */
const withoutSecrets = <Row extends { error: string | null }>({ scrub }: Cli, rows: readonly Row[]): Row[] =>
  rows.map((row) => scrubError(row, scrub))

const remedy = (dead: number) => (dead === 0 ? '' : ' To send again: quotekeeper notify --retry ID, or all.')

function emptyText({ config }: App, targets: readonly TargetState[]): string {
  if (config.notify.targets.length === 0) return 'No notifications are configured: see notify: in the configuration.'
  if (targets.length === 0) return 'Nothing was sent yet: quotekeeper start sends notifications.'
  return 'Everything was sent.'
}

const deliveryColumns: readonly ListColumn<DeliveryLine>[] = [
  { header: 'Id', cell: ({ id }) => id, align: 'right' },
  { header: 'Target', cell: ({ target }) => target },
  { header: 'Kind', cell: ({ kind }) => kind },
  { header: 'Channel', cell: ({ channel }) => channel, drop: 2 },
  { header: 'State', cell: stateText },
  {
    header: 'Next try (UTC)',
    cell: ({ state, nextAt }) => (state === 'dead' ? '' : nextAt === null ? 'at once' : formatMinute(nextAt)),
    value: ({ nextAt }) => nextAt,
  },
  { header: 'Attempts', cell: ({ attempts }) => attempts, align: 'right', drop: 1 },
  {
    header: 'Since (UTC)',
    cell: ({ createdAt }) => formatMinute(createdAt),
    value: ({ createdAt }) => createdAt,
    drop: 3,
  },
  { header: 'Last error', cell: ({ error }) => error, below: true },
]

function stateText({ state, count }: DeliveryLine): string {
  if (state === 'dead') return 'dead letter'
  return count === 1 ? 'to be sent' : `${count.toLocaleString('en')} to be sent`
}

function parseSequence(text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text)
  throw new UsageError(`--from takes the sequence of an event, not ${JSON.stringify(text)}`)
}

function parseRedelivery({ retry, from, target }: Options): RedeliveryFilter {
  const filter = { ...(from !== undefined && { fromSequence: from }), ...(target !== undefined && { target }) }
  if (retry === undefined || retry === 'all') return filter
  if (/^[1-9]\d{0,14}$/.test(retry)) return { ids: [Number(retry)] }
  throw new UsageError(
    `--retry takes the id of a notification (see: quotekeeper notify), or all, not ${JSON.stringify(retry)}`,
  )
}

const sendAgain = (cli: Cli, options: Options) =>
  withApp(cli, readOptions, async ({ store }) => {
    const which = parseRedelivery(options)
    const ids = await (await store()).retryDeliveries(which, cli.io.now())
    if (ids.length === 0 && which.ids !== undefined) {
      throw new FailedError(
        `there is no notification ${which.ids[0]} whose target the service has; see: quotekeeper notify`,
      )
    }
    if (options.json) printJson(cli.io, { ids })
    else cli.io.err(`${plural(ids.length, 'notification')} will be sent again by quotekeeper start.\n`)
  })
