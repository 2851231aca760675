import { type Change, changesOf } from '../../../compare/report/document-changes.js'
import type { Version } from '../../../core/records.js'
import { termsReadOf } from '../../../core/sources/offer-sources.js'
import { offerNames } from '../../../views/offer/offer-names.js'
import { withStore } from '../../app.js'
import type { RegisterCommand } from '../../cli-context.js'
import {
  type AsOfOption,
  asOfOption,
  type ChannelOption,
  channelOption,
  jsonOption,
  withExamples,
} from '../../input/options.js'
import { databaseNow, parseReadFilter } from '../../input/read-filter.js'
import { requireRfq, rfqLabel } from '../../input/require-rfq.js'
import { describeFreshness } from '../../output/freshness.js'
import { addListOptions, type ListColumns, type ListOptions, printList } from '../../output/list.js'
import { printJson } from '../../output/output.js'

type Options = ChannelOption & AsOfOption & ListOptions

/** `history RFQ`: lists the changes of an RFQ and its offers. */
export const register: RegisterCommand = (command, cli) => {
  command
    .argument('<rfq>', 'number, reference or id of the RFQ')
    .addOption(channelOption())
    .addOption(asOfOption())
    .addOption(jsonOption())
    .action((name: string, options: Options) =>
      withStore(cli, async (store, app) => {
        const filter = await parseReadFilter(cli, { store, app }, options, 'rfqs')
        const found = await requireRfq(store, { name, ...filter })
        const { channel, id: rfqId } = found.rfq
        const versions = await store.rfqHistory(channel, rfqId, filter.asOf)
        const absences = await store.absences(channel, rfqId, filter.asOf)
        const asOf = (filter.asOf ?? (await databaseNow(store, cli.io.now()))).toISOString()
        const changes = changesOf(versions, absences, {
          labels: offerNames(found.responses),
          asOf,
        })
        if (options.json)
          return printJson(cli.io, { channel, rfqId, changes, versions: versions.map(versionRow), absences })
        const termsRead = termsReadOf(found.responses)
        const shown = { channels: [channel], kind: 'rfqs', asOf: filter.asOf, termsRead, rfqs: [found.rfq] } as const
        const freshness = await describeFreshness(cli, store, shown)
        const emptyText = `RFQ ${rfqLabel(found)} has no history.`
        printList(cli, { columns: COLUMNS, rows: revisionsOf(changes), emptyText, freshness }, options)
      }),
    )
  addListOptions(command, COLUMNS)
  withExamples(command, ['quotekeeper history 1012', 'what changed in RFQ 1012 and its offers, and when'])
}

/** A version with its body as received, which contains what parsing loses. */
const versionRow = ({ exactBody, bodyText: _text, isLossy: _isLossy, ...version }: Version) => ({
  ...version,
  body: exactBody,
})

/** What one observation showed: a new version of a document with all its changes, or that it was withdrawn or returned. */
type RevisionRow = Pick<Change, 'seenBy' | 'after' | 'version' | 'label'> & { messages: string[] }

function revisionsOf(changes: readonly Change[]): RevisionRow[] {
  const rows = new Map<string, RevisionRow>()
  for (const { seenBy, after, entity, id, version, event, label, message } of changes) {
    const key = `${seenBy} ${entity} ${id} ${version ?? event}`
    const row = rows.get(key)
    if (row === undefined) rows.set(key, { seenBy, after, version, label, messages: [message] })
    else row.messages.push(message)
  }
  return [...rows.values()]
}

const COLUMNS: ListColumns<RevisionRow> = ({ label, second }) => [
  { header: `Observed (${label})`, cell: ({ seenBy }) => second(seenBy), value: ({ seenBy }) => seenBy },
  { header: 'Not before', cell: ({ after }) => second(after), value: ({ after }) => after, drop: 2 },
  { header: 'Version', cell: ({ version }) => version, align: 'right', drop: 1 },
  { header: 'Change', cell: ({ messages }) => messages.join(' '), min: 30 },
]
