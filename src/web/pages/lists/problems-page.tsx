import type { ProblemRecord } from '../../../core/records.js'
import { nameById } from '../../../core/text/rfq-name.js'
import { rfqPath } from '../../../views/page-paths.js'
import { momentColumn } from '../../components/columns.js'
import { plain } from '../../components/format.js'
import type { Column } from '../../tables/table.js'
import { type PageContent, type PageRequest, pageOf, readChannel } from '../page.js'
import { listPage } from './list-page.js'

/** Problems that the page reads, newest first. */
const MAX_PROBLEMS = 5_000

/** `/problems`: where documents deviate from the API description. */
export async function problemsPage(page: PageRequest): Promise<PageContent> {
  const { queries, channels } = page
  return listPage(page, {
    path: '/problems',
    title: 'Problems',
    lead: (
      <>
        Where documents deviate from the API description. The documents are stored whole; a value that cannot be used
        counts as unknown.
      </>
    ),
    choices: [{ name: 'channel', title: 'Channel', values: channels }],
    shown: pageOf(page, {
      name: 'problems',
      caption: 'Deviations from the API description, last seen first',
      columns: COLUMNS,
      rows: await queries.problems({ ...(await readChannel(page)), limit: MAX_PROBLEMS }),
      maxRows: MAX_PROBLEMS,
      empty: <>No document deviates from the API description.</>,
    }),
  })
}

const EntityId = ({ channel, kind, entityId }: ProblemRecord) => {
  const id = <code>{plain(entityId)}</code>
  return kind === 'rfq' ? <a href={rfqPath(channel, nameById(entityId))}>{id}</a> : id
}

const COLUMNS: readonly Column<ProblemRecord>[] = [
  { key: 'channel', title: 'Channel', value: ({ channel }) => channel },
  { key: 'kind', title: 'Document', value: ({ kind }) => kind },
  { key: 'id', title: 'Id', value: ({ entityId }) => entityId, cell: EntityId },
  { key: 'path', title: 'Field', value: ({ path }) => path, cell: ({ path }) => <code>{plain(path)}</code> },
  { key: 'code', title: 'Problem', value: ({ code }) => code },
  { key: 'message', title: 'Message', value: ({ message }) => message },
  momentColumn('firstSeenAt', 'First seen (UTC)', ({ firstSeenAt }) => firstSeenAt),
  momentColumn('lastSeenAt', 'Last seen (UTC)', ({ lastSeenAt }) => lastSeenAt),
  { key: 'times', title: 'Times', value: ({ times }) => times, align: 'right' },
]
