import type { RedeliveryFilter } from '../../../core/events/deliveries.js'
import { didYouMean } from '../../../core/text/suggest.js'
import type { NotifyTarget, SendResult } from '../../../notify/contract.js'
import { plural, sanitize } from '../../../tables/print/terminal-text.js'
import { withApp, withStore } from '../../app.js'
import type { Cli, RegisterCommand } from '../../cli-context.js'
import { FailedError, UsageError } from '../../cli-error.js'
import { withExamples } from '../../input/options.js'
import { printJson } from '../../output/output.js'
import { addListOptions, type ListOptions, printList } from '../list-command.js'

type Options = ListOptions & {
  /** True without a name. */
  test?: string | true
  retry?: string
  from?: number
  target?: string
}

/** `notify`: lists notifications, sends a test, or sends again. */
export const register: RegisterCommand = (command, cli) => {
  addListOptions(command, 'notifications')
    .option('--test [target]', 'send a test to this target, or to all')
    .option(
      '--retry <id>',
      'send a notification of the list again, or `all` that wait or were given up; the running service does so',
    )
    .option(
      '--from <sequence>',
      'send again everything of the events from this sequence on; with --target, to this one only',
      parseSequence,
    )
    .action((options: Options) => {
      const { test, retry, from, target } = options
      const actions = [test, retry, from].filter((each) => each !== undefined)
      if (actions.length > 1) throw new UsageError('use one of --test, --retry and --from')
      if (target !== undefined && (test !== undefined || (retry ?? 'all') !== 'all'))
        throw new UsageError('--target is for the list, --retry all and --from')
      if (test !== undefined) return sendTests(cli, options, test)
      if (actions.length > 0) return sendAgain(cli, options)
      return withStore(cli, (store, app) => printList({ cli, store, app }, 'notifications', options))
    })
  withExamples(
    command,
    ['quotekeeper notify --test', 'send a test to every target'],
    ['quotekeeper notify --state dead', 'what was given up, and why'],
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
  withApp(cli, { secrets: 'required' }, async ({ config }) => {
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
    else for (const { target, type, message } of results) cli.io.out(`${target} (${type}): ${sanitize(message)}\n`)
    const failed = results.filter(({ ok }) => !ok)
    if (failed.length > 0)
      throw new FailedError(`${failed.length} of ${plural(results.length, 'test')} could not be sent`)
  })

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

// --- again ----------------------------------------------------------------------------------------------------------

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
  withApp(cli, { secrets: 'if-set' }, async ({ store }) => {
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
