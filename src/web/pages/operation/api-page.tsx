import { SETTING_NAMES } from '../../../views/settings.js'
import { ENDPOINTS } from '../../api/api-routes.js'
import type { Operation } from '../../api/endpoint.js'
import { API_PREFIX } from '../../api/problem.js'
import { TableView } from '../../components/table-view.js'
import type { Column } from '../../tables/table.js'
import { downloadOf } from '../../tables/table-file.js'
import { type PageContent, type PageRequest, pageOf } from '../page.js'

const DOCUMENT_PATH = `${API_PREFIX}/openapi.json`

/** `/api`: the operations of the HTTP API, from the descriptions that its OpenAPI document is made of. */
export async function apiPage(page: PageRequest): Promise<PageContent> {
  const shown = pageOf(page, {
    name: 'api',
    caption: 'Operations of the HTTP API',
    columns: COLUMNS,
    rows: ENDPOINTS,
    empty: <>The API has no operations.</>,
  })
  return {
    title: 'API',
    current: '/api',
    tables: [downloadOf(shown.table)],
    body: (
      <>
        <h1>API</h1>
        <p class="lead">
          Other programs can read everything that these pages show, and ask for reports, polls and closing rounds. The{' '}
          <a href={DOCUMENT_PATH}>OpenAPI document</a> describes every parameter and member. Reading needs the role
          viewer, the rest the role operator.
        </p>
        <TableView {...shown} link={page.link} />
      </>
    ),
  }
}

const pathOf = ({ path }: Operation) => `${API_PREFIX}${path}`
const isPlain = ({ method, path }: Operation) => method === 'GET' && !path.includes('{')

/** The names of the parameters, or the members of the body. */
function parametersOf({ query, body, acceptsSettings, acceptsIdempotencyKey }: Operation): string {
  const names = [...Object.keys(query.shape), ...Object.keys(body?.shape ?? {})]
  if (acceptsSettings) names.push(`${SETTING_NAMES.length} settings such as ${SETTING_NAMES[0]}`)
  if (acceptsIdempotencyKey) names.push('Idempotency-Key')
  return names.join(', ')
}

const COLUMNS: readonly Column<Operation>[] = [
  { key: 'method', title: 'Method', value: ({ method }) => method },
  {
    key: 'path',
    title: 'Path',
    value: pathOf,
    cell: (operation) =>
      isPlain(operation) ? (
        <a href={pathOf(operation)}>
          <code>{pathOf(operation)}</code>
        </a>
      ) : (
        <code>{pathOf(operation)}</code>
      ),
  },
  { key: 'summary', title: 'What it does', value: ({ summary }) => summary },
  { key: 'parameters', title: 'Parameters', value: parametersOf },
]
