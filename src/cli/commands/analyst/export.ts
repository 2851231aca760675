import type { DocumentKind } from '../../../core/documents/documents.js'
import type { KnownDocument } from '../../../core/records.js'
import { withStore } from '../../app.js'
import type { RegisterCommand } from '../../cli-context.js'
import { asOfOption, channelOption, choiceOption, type SharedOptions, withExamples } from '../../input/options.js'
import { parseReadFilter } from '../../input/read-filter.js'
import { printJsonLine } from '../../output/output.js'

type Options = SharedOptions & { kind?: DocumentKind }
const KINDS: readonly DocumentKind[] = ['listing', 'rfq-entry', 'rfq', 'response']

/** `export`: prints documents as NDJSON. */
export const register: RegisterCommand = (command, cli) => {
  command
    .addOption(choiceOption('--kind <kind>', 'only documents of this kind', KINDS))
    .addOption(channelOption())
    .addOption(asOfOption())
    .action((options: Options) =>
      withStore(cli, async (store, app) => {
        const filter = await parseReadFilter(cli, { store, app }, options, polledFor(options.kind))
        const kind = options.kind === undefined ? {} : { kind: options.kind }
        for await (const snapshot of store.export({ ...kind, ...filter })) {
          if (cli.io.stdoutClosed() || cli.io.stop.aborted) break
          printJsonLine(cli.io, exportLine(snapshot))
        }
      }),
    )
  withExamples(
    command,
    ['quotekeeper export --kind rfq > rfqs.ndjson', 'every RFQ as last observed'],
    ['quotekeeper export --as-of yesterday', 'everything as it was known at the end of yesterday'],
  )
}

const polledFor = (kind: DocumentKind | undefined) =>
  kind === undefined ? undefined : kind === 'listing' ? 'listings' : 'rfqs'

/** A line of JSON with the body as received. These members are documented in docs/COMMANDS.md; more may be added after them. */
function exportLine(document: KnownDocument): string {
  const { channel, kind, id, version, observedAt, valid, bodyText, rfqId, missingSince } = document
  // JSON has line breaks between values only.
  const body = bodyText.replaceAll(/[\r\n]+/g, ' ')
  const before = JSON.stringify({ channel, kind, id, version, observedAt, valid }).slice(0, -1)
  const after = JSON.stringify({ ...(rfqId !== null && { rfqId }), missingSince }).slice(1)
  return `${before},"body":${body},${after}`
}
