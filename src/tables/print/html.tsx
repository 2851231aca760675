import type { ComponentChildren } from 'preact'
import { type Column, type Fact, isNumeric } from '../column.js'
import { fitColumns, formatFact, isProse, isTelling, MAX_WEIGHT, type PrintedColumn, printColumns } from './format.js'
import { toneOf } from './tones.js'

/** The key of a column whose links look like buttons: what a person does next. */
const STEP = 'step'

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
  /** By which column it is sorted, such as `-due`, or empty; undefined: a reader cannot sort it. */
  sort?: string | undefined
  /** The address of the page with other parameters; null removes one. */
  link: (changes: Record<string, string | null>) => string
  /** The cursor of the next page, and how many rows there are on all pages. */
  next?: string | null
  total?: number
  /** Shows all digits of prices. Default: two decimals. */
  isExact?: boolean
  /** A row to look at first. */
  isChosen?: (row: Row) => boolean
  /** What can be done about a row: the last column, which files have not. */
  action?: ((row: Row) => ComponentChildren) | undefined
  /** What is shown below a row, such as its details. */
  below?: (row: Row) => ComponentChildren
}

/** A word with the colour of its state. */
export const State = ({ word }: { word: string }) => <span class={`badge ${toneOf(word)}`}>{word}</span>

/**
 * Facts about one thing, as terms with their values; those that are not known are left out.
 * @param props.isBrief many of a few words each, side by side
 */
export const Facts = ({ of, isBrief = false }: { of: readonly Fact[]; isBrief?: boolean }) => (
  <dl class={isBrief ? 'details' : 'pairs'}>
    {of.map((fact) => {
      const text = formatFact(fact)
      return text === '' ? null : (
        <div>
          <dt>{fact.label}</dt>
          <dd>{fact.kind === 'state' ? <State word={text} /> : text}</dd>
        </div>
      )
    })}
  </dl>
)

/** A list as a table of a page: links to sort, to the next page and to its files. Where there is little room, rows become cards. */
export function Table<Row>(table: HtmlTable<Row>) {
  const { name, caption, rows, empty, isChosen, below } = table
  if (rows.length === 0)
    return (
      <p class="empty" id={name}>
        {empty}
      </p>
    )
  const action = rows.some((row) => table.action?.(row)) ? table.action : undefined
  const columns = fittedColumns({ ...table, action })
  return (
    <div class="table" id={name}>
      <table class="cards">
        <caption class="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            {columns.map((each) => (
              <HeaderCell key={each.column.key} of={each} {...table} />
            ))}
            {action && (
              <th scope="col">
                <span class="visually-hidden">Actions</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => {
            const more = below?.(row)
            return (
              <>
                <tr class={isChosen?.(row) ? 'chosen' : undefined}>
                  {columns.map((each) => (
                    <BodyCell key={each.column.key} of={each} row={row} at={at} />
                  ))}
                  {action && <td class="action">{action(row)}</td>}
                </tr>
                {more && (
                  <tr class="below">
                    <td colSpan={columns.length + (action ? 1 : 0)}>{more}</td>
                  </tr>
                )}
              </>
            )
          })}
        </tbody>
      </table>
      <TableFoot {...table} />
    </div>
  )
}

/** How many rows there are, the next page, and the files of all rows. */
function TableFoot<Row>({ name, rows, total, next, link }: HtmlTable<Row>) {
  const file = (format: string) => (
    <a href={link({ format, table: name })} aria-label={`Download ${name} as ${format.toUpperCase()}`}>
      {format.toUpperCase()}
    </a>
  )
  return (
    <div class="under noprint">
      <span>
        {total !== undefined && total > rows.length && `${total.toLocaleString('en-US')} in all. `}
        {next != null && (
          <a href={link({ cursor: next })} rel="next">
            Next page
          </a>
        )}
      </span>
      <span>
        {file('csv')} {file('json')}
      </span>
    </div>
  )
}

interface FittedColumn<Row> extends PrintedColumn<Row> {
  class: string
}

/** Columns that do not fit into so many characters are shown where there is more room only; those of less weight first. */
const ROOMS = [
  { room: 96, class: 'from-wide' },
  { room: 136, class: 'from-wider' },
  { room: 162, class: 'from-widest' },
] as const
/** Columns of less weight are no lines of a card. */
const MIN_CARD_WEIGHT = 5
/** Characters of the space around a cell, and of the buttons of a row. */
const [SPACE, ACTION] = [2, 29]
/** Characters of a name, and of a sentence, that a column makes room for; longer ones are wrapped, and cut after two lines unless rows are read for them. */
const [MAX_NAME, MAX_SENTENCE] = [20, 40]

/** The columns that say something about these rows, with classes that hide some of them where there is little room. */
function fittedColumns<Row>({ columns, rows, action, isExact = false }: HtmlTable<Row>): FittedColumn<Row>[] {
  const printed = printColumns(columns, rows, { isExact }).filter(isTelling)
  const shownAt = ROOMS.map(({ room }) =>
    fitColumns(printed, (shown) => shown.reduce((sum, each) => sum + widthOf(each), action ? ACTION : 0) <= room),
  )
  return printed.map((each) => {
    const { key, kind, weight } = each.column
    const widest = ROOMS.findLast((_, at) => !shownAt[at]?.includes(each))
    const longestWord = longestOf(each.cells.flatMap((cell) => cell.split(/\s/)))
    const classes = [
      ...[kind, isNumeric(kind) ? 'r' : '', widest?.class, weight < MIN_CARD_WEIGHT ? 'minor' : ''],
      ...[key === STEP ? 'step' : '', isProse(each) ? 'prose' : ''],
      kind === 'text' && longestWord > MAX_SENTENCE / 2 ? 'anywhere' : '',
    ]
    return { ...each, class: classes.filter(Boolean).join(' ') }
  })
}

const longestOf = (texts: readonly string[]): number =>
  texts.reduce((longest, { length }) => Math.max(longest, length), 0)

function widthOf<Row>(printed: PrintedColumn<Row>): number {
  const { column, header, cells } = printed
  const longest = longestOf([header, ...(column.kind === 'state' ? cells.flatMap((cell) => cell.split(', ')) : cells)])
  const max = column.kind !== 'text' ? longest : isProse(printed) ? MAX_SENTENCE : MAX_NAME
  return Math.min(longest, max) + SPACE
}

type HeaderProps<Row> = { of: FittedColumn<Row> } & Pick<HtmlTable<Row>, 'sort' | 'link'>

function HeaderCell<Row>({ of, sort, link }: HeaderProps<Row>) {
  const { column, header, class: classes } = of
  const { key } = column
  const order = sort === key ? 'ascending' : sort === `-${key}` ? 'descending' : undefined
  return (
    <th scope="col" class={classes} aria-sort={order}>
      {column.sort === undefined || sort === undefined ? (
        header
      ) : (
        <a href={link({ sort: sort === key ? `-${key}` : key, cursor: null })}>{header}</a>
      )}
    </th>
  )
}

function BodyCell<Row>({ of, row, at }: { of: FittedColumn<Row>; row: Row; at: number }) {
  const { column, header, cells, class: classes } = of
  const text = cells[at] ?? ''
  if (text === '') return <td class={`${classes} empty`} />
  const path = column.link?.(row) ?? null
  const content = contentOf(column, row, text)
  const linked = path === null ? content : <a href={path}>{content}</a>
  const isLong = column.kind === 'text' && text.length > MAX_NAME && column.weight < MAX_WEIGHT
  const isShort = column.kind === 'text' && text.length <= MAX_NAME
  return (
    <td class={isShort ? `${classes} line` : classes} data-label={header} title={isLong ? text : undefined}>
      {isLong ? <div class="clip">{linked}</div> : linked}
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
