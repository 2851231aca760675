import { randomUUID } from 'node:crypto'
import type { EventRecord } from '../../../core/events/events.js'
import { cleanLine } from '../../../core/text/clean-text.js'
import { formatCount } from '../../../core/text/number-format.js'
import { didYouMean } from '../../../core/text/suggest.js'
import type { NotifyTarget, SendResult } from '../../../notify/contract.js'
import { withApp, withStore } from '../../app.js'
import type { Cli, RegisterCommand } from '../../cli-context.js'
import { FailedError, UsageError } from '../../cli-error.js'
import { wholeNumber, withExamples } from '../../input/options.js'
import { printJson } from '../../output/output.js'
import { addListOptions, type ListOptions, printList } from '../list-command.js'

type Options = ListOptions & {
  /** True without a name. */
  test?: string | true
  from?: number
  target?: string
}

/** `notify`: lists the targets of notifications, sends a test, or sets the position of a target. */
export const register: RegisterCommand = (command, cli) => {
  addListOptions(command, 'targets')
    .option('--test [target]', 'send a test to this target, or to all')
    .option(
      '--from <sequence>',
      'with --target: send it everything from this event on; the running service does so',
      wholeNumber(1, Number.MAX_SAFE_INTEGER),
    )
    .option('--target <name>', 'the target whose position --from sets')
    .action((options: Options) => {
      const { test, from, target } = options
      if ((from === undefined) !== (target === undefined))
        throw new UsageError('use --target NAME with --from SEQUENCE')
      if (test !== undefined && from !== undefined) throw new UsageError('use either --test or --from')
      if (test !== undefined) return sendTests(cli, options, test)
      if (from !== undefined && target !== undefined) return setPosition(cli, options, { from, target })
      return withStore(cli, (store, app) => printList({ cli, store, app }, 'targets', options))
    })
  withExamples(
    command,
    ['quotekeeper notify --test', 'send a test to every target'],
    ['quotekeeper notify', 'how far each target has got, and what it never got'],
    ['quotekeeper notify --target crm --from 1200', 'when the receiver lost what it had, or the cause is removed'],
  )
}

// --- tests ----------------------------------------------------------------------------------------------------------

/** It is not recorded. */
const testEvent = (now: Date): EventRecord => ({
  ...{ sequence: 0, id: `evt_${randomUUID().replaceAll('-', '')}`, kind: 'notify.test', at: now.toISOString() },
  ...{ channel: null, rfqId: null, offerId: null, version: null, data: {} },
  text: 'this is a test of quotekeeper notify --test',
})

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
    const send = createSendMessage({ reportsDirectory: config.reports.directory, scrub: cli.scrub })
    const results = await Promise.all(
      targets.map(async (target): Promise<TestResult> => {
        const options = { now: cli.io.now(), signal: cli.io.stop }
        const result = await send(target, [testEvent(options.now)], options)
        return { target: target.name, type: target.type, ...describeTest(result) }
      }),
    )
    if (json) printJson(cli.io, results)
    else for (const { target, type, message } of results) cli.io.out(`${target} (${type}): ${cleanLine(message)}\n`)
    const failed = results.filter(({ ok }) => !ok)
    if (failed.length > 0)
      throw new FailedError(`${failed.length} of ${formatCount(results.length, 'test')} could not be sent`)
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

function describeTest(result: SendResult): Pick<TestResult, 'ok' | 'message'> {
  if (result.kind === 'delivered') return { ok: result.warning === undefined, message: result.warning ?? 'sent' }
  return { ok: false, message: result.error }
}

// --- positions ------------------------------------------------------------------------------------------------------

const setPosition = (cli: Cli, { json }: Options, { target, from }: { target: string; from: number }) =>
  withApp(cli, { secrets: 'if-set' }, async ({ store }) => {
    const targets = await store()
    if (!(await targets.setPosition(target, from))) {
      const names = (await targets.targetStates()).map((state) => state.target)
      const suggestion = didYouMean(target, names)
      throw new FailedError(
        `the service was not started with a target ${JSON.stringify(target)}; ${suggestion}see: quotekeeper notify`,
      )
    }
    if (json) printJson(cli.io, { target, from })
    else cli.io.err(`${target} will get everything from event ${from} on, by quotekeeper start.\n`)
  })
