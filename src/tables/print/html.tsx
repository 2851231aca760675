import type { ComponentChildren } from 'preact'
import { type Column, isNumeric } from '../column.js'
import { type PrintedColumn, printColumns } from './format.js'

/** How a table is shown on a page. */
export interface HtmlTable<Row> {
  /** In addresses, and its id. */
  name: string
  /** Says what the rows are. */
  caption: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  /** Shown in place of a table without rows. */
  empty: ComponentChildren
  /** By which column it is sorted, such as `-due`; undefined: a reader cannot sort it. */
  sort?: string | undefined
  /** The address of the page with other parameters; null removes one. */
  link: (changes: Record<string, string | null>) => string
  /** The cursor of the next page, and how many rows there are on all pages. */
  next?: string | null
  total?: number | null
  /** A row to look at first. */
  isChosen?: (row: Row) => boolean
  /** What is shown below a row, such as its details. */
  below?: (row: Row) => ComponentChildren
}

/** Words by which a state is coloured; the word carries the meaning. Other words are neutral. */
const TONES: Record<string, 'good' | 'warn' | 'bad'> = {
  ...{
    complete: 'good',
    closed: 'good',
    'up to date': 'good',
    works: 'good',
    delivered: 'good',
    accepted: 'good',
    awarded: 'good',
  },
  ...{
    partial: 'warn',
    interrupted: 'warn',
    pending: 'warn',
    missing: 'warn',
    'not valid': 'warn',
    waiting: 'warn',
    decide: 'warn',
  },
  ...{
    'list not whole': 'bad',
    failed: 'bad',
    refused: 'bad',
    unknown: 'bad',
    dead: 'bad',
    behind: 'bad',
    fails: 'bad',
  },
  ...{ overdue: 'bad', differs: 'bad', 'loud doubts': 'bad', 'due today': 'bad', 'due tomorrow': 'bad' },
}

/** A word with the colour of its state. */
export const State = ({ word }: { word: string }) => <span class={`badge ${TONES[word] ?? 'neutral'}`}>{word}</span>

/** A list as a table of a page: links to sort, to the next page and to its files. On a narrow screen, rows become cards. */
export function Table<Row>({
  name,
  caption,
  columns,
  rows,
  empty,
  sort,
  link,
  next,
  total,
  isChosen,
  below,
}: HtmlTable<Row>) {
  if (rows.length === 0)
    return (
      <p class="notice empty" id={name}>
        {empty}
      </p>
    )
  const printed = shownColumns(columns, rows)
  return (
    <div class="table" id={name}>
      <div class="scroll">
        <table class="cards">
          <caption class="visually-hidden">{caption}</caption>
          <thead>
            <tr>
              {printed.map((each) => (
                <HeaderCell key={each.column.key} of={each} sort={sort} link={link} />
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row, at) => {
              const more = below?.(row)
              return (
                <>
                  <tr class={isChosen?.(row) ? 'chosen' : undefined}>
                    {printed.map((each) => (
                      <BodyCell key={each.column.key} of={each} row={row} at={at} />
                    ))}
                  </tr>
                  {more && (
                    <tr class="below">
                      <td colSpan={printed.length}>{more}</td>
                    </tr>
                  )}
                </>
              )
            })}
          </tbody>
        </table>
      </div>
      <div class="under noprint">
        <span>
          {total != null && total > rows.length && `${total.toLocaleString('en-US')} in all. `}
          {next != null && (
            <a href={link({ cursor: next })} rel="next">
              Next page
            </a>
          )}
        </span>
        <span>
          <a href={link({ format: 'csv', table: name })} aria-label={`Download ${caption} as CSV`}>
            CSV
          </a>{' '}
          <a href={link({ format: 'json', table: name })} aria-label={`Download ${caption} as JSON`}>
            JSON
          </a>
        </span>
      </div>
    </div>
  )
}

/** Columns with weight that say something about these rows. */
const shownColumns = <Row,>(columns: readonly Column<Row>[], rows: readonly Row[]): PrintedColumn<Row>[] =>
  printColumns(
    columns.filter(({ weight }) => weight > 0),
    rows,
  ).filter(({ cells }) => cells.some((cell) => cell !== ''))

function HeaderCell<Row>({
  of: { column, header },
  sort,
  link,
}: { of: PrintedColumn<Row> } & Pick<HtmlTable<Row>, 'sort' | 'link'>) {
  const { key } = column
  const isSorted = sort === key || sort === `-${key}`
  return (
    <th
      scope="col"
      class={classOf(column)}
      aria-sort={isSorted ? (sort === key ? 'ascending' : 'descending') : undefined}
    >
      {column.sort === undefined || sort === undefined ? (
        header
      ) : (
        <a href={link({ sort: sort === key ? `-${key}` : key, cursor: null })}>{header}</a>
      )}
    </th>
  )
}

function BodyCell<Row>({ of: { column, header, cells }, row, at }: { of: PrintedColumn<Row>; row: Row; at: number }) {
  const text = cells[at] ?? ''
  const path = column.link?.(row) ?? null
  const content = text === '' ? '' : contentOf(column, row, text)
  return (
    <td class={classOf(column, text === '')} data-label={header} title={column.kind === 'text' ? text : undefined}>
      {path === null || text === '' ? content : <a href={path}>{content}</a>}
    </td>
  )
}

function contentOf<Row>({ kind, value }: Column<Row>, row: Row, text: string): ComponentChildren {
  const found = value(row)
  if (kind === 'moment')
    return (
      <time datetime={String(found)} title={String(found)}>
        {text}
      </time>
    )
  if (kind !== 'state') return text
  const words = Array.isArray(found) ? (found as readonly string[]) : [text]
  return words.map((word) => [<State key={word} word={word} />, ' '])
}

/** Columns of less weight are left out where there is little room. */
const classOf = <Row,>({ kind, weight }: Column<Row>, isEmpty = false): string =>
  [kind, `w${weight}`, isNumeric(kind) ? 'r' : '', isEmpty ? 'unknown' : ''].filter(Boolean).join(' ')
