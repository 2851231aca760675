import { offerLabels } from '../../domain/comparison/offer/offer-labels.js'
import { type Change, changesOf } from '../../domain/comparison/report/document-changes.js'
import { createCalendar } from '../../domain/expiry.js'
import type { RfqWithResponses, Version } from '../../domain/records.js'
import { withStore } from '../app.js'
import type { RegisterCommand } from '../cli-context.js'
import { findRfq, rfqLabel } from '../find-rfq.js'
import { offerRow } from '../json-rows.js'
import {
  type AsOfOption,
  asOfOption,
  type ChannelOption,
  channelOption,
  type JsonOption,
  jsonOption,
  withExamples,
} from '../options.js'
import { formatSecond, printJson, printTable } from '../output.js'
import { databaseNow, parseReadFilter } from '../read-filter.js'
import { timeZoneOf } from '../select-channels.js'
import type { Column } from '../terminal-table.js'

type Options = ChannelOption & AsOfOption & JsonOption

/** `history RFQ`: lists the changes of an RFQ and its offers. */
export const register: RegisterCommand = (command, cli) => {
  command
    .argument('<rfq>', 'number, reference or id of the RFQ')
    .addOption(channelOption())
    .addOption(asOfOption())
    .addOption(jsonOption())
    .action((match: string, options: Options) =>
      withStore(cli, async (store, app) => {
        const filter = await parseReadFilter(cli, { store, app }, options, 'rfqs')
        const found = await findRfq(store, { match, ...filter })
        const { channel, id: rfqId } = found.rfq
        const versions = await store.rfqHistory(channel, rfqId, filter.asOf)
        const absences = await store.absences(channel, rfqId, filter.asOf)
        const asOf = (filter.asOf ?? (await databaseNow(store, cli.io.now()))).toISOString()
        const changes = changesOf(versions, absences, {
          labels: labelsByOffer(found, timeZoneOf(app.config, channel)),
          asOf,
        })
        if (options.json) printJson(cli.io, { channel, rfqId, changes, versions: versions.map(versionRow), absences })
        else printTable(cli.io, COLUMNS, changes, `RFQ ${rfqLabel(found)} has no history.`)
      }),
    )
  withExamples(command, ['quotekeeper history 1042', 'what changed in RFQ 1042 and its offers, and when'])
}

/** A version with its body as received, which contains what parsing loses. */
const versionRow = ({ exactBody, bodyText: _text, isLossy: _isLossy, ...version }: Version) => ({
  ...version,
  body: exactBody,
})

/** The labels of the offers by id, as in the workbook. */
function labelsByOffer({ rfq, responses }: RfqWithResponses, timeZone: string): Map<string, string> {
  const rows = responses.map((response) => offerRow(rfq, response, createCalendar(timeZone)))
  const offers = rows.map(({ id, projectDeveloperName, projectName }) => ({
    id,
    developer: projectDeveloperName,
    project: projectName,
  }))
  const names = offerLabels(offers)
  return new Map(offers.map(({ id }, index) => [id, names[index] ?? id]))
}

const COLUMNS: Column<Change>[] = [
  { header: 'Observed (UTC)', cell: ({ seenBy }) => formatSecond(seenBy) },
  { header: 'Not before', cell: ({ after }) => formatSecond(after), drop: 2 },
  { header: 'Version', cell: ({ version }) => version, align: 'right', drop: 1 },
  { header: 'Change', cell: ({ words }) => words, min: 30, overflow: 'wrap' },
]
