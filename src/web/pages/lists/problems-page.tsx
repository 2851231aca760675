import type { ProblemRecord } from '../../../core/records.js'
import { nameById } from '../../../core/text/rfq-name.js'
import { rfqPath } from '../../../views/page-paths.js'
import type { RfqNames } from '../../../views/rfqs/rfqs.js'
import { channelColumn, momentColumn } from '../../components/columns.js'
import { plain } from '../../components/format.js'
import type { Column } from '../../tables/table.js'
import { type PageContent, type PageRequest, pageOf, readChannel } from '../page.js'
import { listPage } from './list-page.js'

/** Problems that the page reads, newest first. */
const MAX_PROBLEMS = 5_000

/** `/problems`: where documents deviate from the API description. */
export async function problemsPage(page: PageRequest): Promise<PageContent> {
  const { queries, channels, query, now } = page
  const shown = pageOf(page, {
    name: 'problems',
    caption: 'Deviations from the API description, last seen first',
    columns: columnsOf(channels),
    rows: await queries.problems({ ...(await readChannel(page)), limit: MAX_PROBLEMS }),
    maxRows: MAX_PROBLEMS,
    empty: <>No document deviates from the API description: there is nothing to do here.</>,
  })
  const rfqs = shown.table.rows.flatMap(({ channel, kind, entityId }) =>
    kind === 'rfq' ? { channel, rfqId: entityId } : [],
  )
  const names = rfqs.length === 0 || query.format !== undefined ? [] : await queries.rfqNames({ rfqs, now })
  return listPage(page, {
    path: '/problems',
    title: 'Problems',
    lead: (
      <>
        Where documents of the marketplace deviate from its API description. A value that cannot be used counts as
        unknown; nothing closes an RFQ with one.
      </>
    ),
    choices: [{ name: 'channel', title: 'Channel', values: channels }],
    shown: { ...shown, table: { ...shown.table, columns: columnsOf(channels, names) } },
  })
}

const KIND_TEXTS: Record<ProblemRecord['kind'], string> = { listing: 'listing', rfq: 'RFQ', response: 'offer' }

/** The kind of the document, and its number or the beginning of its id, which leads to the RFQ. */
function DocumentCell({ channel, kind, entityId }: ProblemRecord, names: readonly RfqNames[]) {
  const number = kind === 'rfq' ? names.find((rfq) => rfq.channel === channel && rfq.rfqId === entityId)?.number : null
  const id =
    number == null ? (
      <code title={entityId}>{plain(entityId.length > 12 ? `${entityId.slice(0, 8)}…` : entityId)}</code>
    ) : (
      number
    )
  return (
    <>
      {KIND_TEXTS[kind]} {kind === 'rfq' ? <a href={rfqPath(channel, nameById(entityId))}>{id}</a> : id}
    </>
  )
}

const columnsOf = (channels: readonly string[], names: readonly RfqNames[] = []): readonly Column<ProblemRecord>[] => [
  { key: 'kind', width: 'line', title: 'Document', value: ({ kind }) => kind, cell: (row) => DocumentCell(row, names) },
  { key: 'id', fileOnly: true, title: 'Id', value: ({ entityId }) => entityId },
  channelColumn(channels),
  { key: 'path', title: 'Field', value: ({ path }) => path, cell: ({ path }) => <code>{plain(path)}</code> },
  { key: 'code', fileOnly: true, title: 'Problem', value: ({ code }) => code },
  { key: 'message', width: 'wide', title: 'Problem', value: ({ message }) => message },
  momentColumn('firstSeenAt', 'First seen', ({ firstSeenAt }) => firstSeenAt, { isSecondary: true }),
  momentColumn('lastSeenAt', 'Last seen', ({ lastSeenAt }) => lastSeenAt),
  { key: 'times', title: 'Times', value: ({ times }) => times, align: 'right' },
]
