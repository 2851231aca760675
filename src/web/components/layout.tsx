import type { ComponentChildren } from 'preact'
import { DUE_WITHIN_DAYS } from '../../tables/lists/rfqs.js'
import type { ChannelFreshness } from '../../tables/polls.js'
import type { User } from '../access/users.js'
import { age, amount, Moment } from './format.js'
import { PAGE_SCRIPT_PATH } from './page-script.js'
import { STYLESHEET } from './stylesheet.js'

interface Entry {
  path: string
  title: string
}

/** Every page of the rail. */
const PAGES: readonly Entry[] = [
  { path: '/', title: 'Today' },
  { path: '/rfqs', title: 'RFQs' },
  { path: '/awards', title: 'Awards' },
  { path: '/changes', title: 'Changes' },
  { path: '/reports', title: 'Reports' },
  { path: '/listings', title: 'Listings' },
  { path: '/closings', title: 'Closings' },
  { path: '/system', title: 'System' },
]

/** Entries of the bar at the bottom of a phone's screen; the last one leads to all pages, below the content. */
const TABS: readonly Entry[] = [...PAGES.slice(0, 4), { path: '#pages', title: 'More' }]

/** What surrounds the content of a page for a signed-in user. */
export interface Frame {
  user: User | null
  csrfToken: string
  canSignOut: boolean
  freshness: readonly ChannelFreshness[]
  /** RFQs that wait for a person; null on pages of errors, which read nothing. */
  waiting: number | null
  now: Date
  /** The past moment that is shown, a link to the present, and the channels without a complete poll of that kind at that moment. */
  asOf?: { at: Date; kind: 'rfqs' | 'listings'; nowLink: string; incomplete: readonly string[] } | undefined
  /** What the script does after a poll: show the new page, or announce it. */
  live?: 'replace' | 'notice' | undefined
}

interface LayoutProps {
  /** What is shown, also in the title of the window. */
  title: string
  /** Path of the page in the navigation. */
  current?: string
  /** Null if no user is signed in, and for errors. */
  frame?: Frame | null
  children?: ComponentChildren
  /** HTML that was rendered before, instead of children. */
  html?: string
}

/** The frame of every page: its content, then the rail with all pages, which stands at its left. */
export function Layout({ title, current, frame = null, children, html }: LayoutProps) {
  const main = { id: 'main', tabindex: -1, 'data-live': frame?.live }
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{`${title} · Quotekeeper`}</title>
        <style dangerouslySetInnerHTML={{ __html: STYLESHEET }} />
        <link rel="icon" href="data:," />
        {frame && <script type="module" src={PAGE_SCRIPT_PATH} />}
      </head>
      <body>
        {frame && (
          <a class="skip" href="#pages">
            Skip to the navigation
          </a>
        )}
        <div class="shell">
          <div class="page">
            {frame?.asOf && <PastNotice asOf={frame.asOf} />}
            {html === undefined ? (
              <main {...main}>{children}</main>
            ) : (
              <main {...main} dangerouslySetInnerHTML={{ __html: html }} />
            )}
          </div>
          {frame && <Rail frame={frame} current={current} />}
        </div>
        {frame && <Tabs current={current} waiting={frame.waiting} />}
      </body>
    </html>
  )
}

/** A search of RFQs, all pages, the age of what is shown, and who is signed in. */
const Rail = ({ frame, current }: { frame: Frame; current: string | undefined }) => (
  <header class="rail" id="pages">
    <a class="brand" href="/">
      Quotekeeper
    </a>
    <search>
      <form action="/rfqs">
        <input
          id="search"
          type="search"
          name="q"
          aria-label="Search RFQs by number, reference, title, developer or project"
          placeholder="Search RFQs"
        />
      </form>
    </search>
    <nav aria-label="Pages">
      <Entries of={PAGES} current={current} waiting={frame.waiting} />
    </nav>
    <div class="foot">
      {frame.freshness.length > 0 && <Freshness frame={frame} />}
      <p>
        Times are in <span id="zone">UTC</span>
      </p>
      {frame.canSignOut && <SignOut frame={frame} />}
    </div>
  </header>
)

interface EntriesProps {
  of: readonly Entry[]
  current: string | undefined
  waiting: number | null
}

const Entries = ({ of, current, waiting }: EntriesProps) =>
  of.map((entry) => (
    <a key={entry.path} href={entry.path} aria-current={entry.path === current ? 'page' : undefined}>
      {entry.title}
      <Count entry={entry} waiting={waiting} />
    </a>
  ))

/** How many RFQs wait, at the entry of Today: read as `Today, 3 wait`. */
const Count = ({ entry, waiting }: { entry: Entry; waiting: number | null }) =>
  entry.path !== '/' || !waiting ? null : (
    <span class="count" title={`RFQs due within ${DUE_WITHIN_DAYS} days, overdue, or with something to decide`}>
      <span class="visually-hidden">, </span>
      {amount(waiting)}
      <span class="visually-hidden"> wait</span>
    </span>
  )

const Tabs = ({ current, waiting }: Omit<EntriesProps, 'of'>) => (
  <nav class="tabs" aria-label="Main pages">
    {TABS.map((entry) => (
      <a key={entry.path} href={entry.path} aria-current={entry.path === current ? 'page' : undefined}>
        {entry.title} <Count entry={entry} waiting={waiting} />
      </a>
    ))}
  </nav>
)

const SignOut = ({ frame: { user, csrfToken } }: { frame: Frame }) => (
  <form method="post" action="/sign-out">
    <input type="hidden" name="_csrf" value={csrfToken} />
    <span>{user?.name}</span>
    <button type="submit" class="quiet">
      Sign out
    </button>
  </form>
)

const PastNotice = ({ asOf: { at, kind, nowLink, incomplete } }: { asOf: NonNullable<Frame['asOf']> }) => (
  <div class="past" role="note">
    As known on <Moment at={at.toISOString()} />.{' '}
    {incomplete.length > 0 &&
      `No complete poll of ${kind === 'rfqs' ? 'RFQs' : kind} yet of ${incomplete.join(', ')}. `}
    <a href={nowLink}>Show the current state</a>
  </div>
)

/** How old a poll may be before its age is shown as a warning, in milliseconds. */
const LATE_MS = 60 * 60_000

/** How recent the figures are: the worst age; each channel's when it is opened. */
function Freshness({ frame: { freshness, now } }: { frame: Frame }) {
  const ages = freshness.map(({ rfqsAt }) => rfqsAt)
  const oldest = ages.includes(null) ? null : (ages.sort()[0] ?? null)
  const isLate = oldest === null || now.getTime() - Date.parse(oldest) > LATE_MS
  return (
    <details class="fresh">
      <summary class={isLate ? 'late' : undefined}>
        {oldest === null ? 'Not all polled yet' : `Polled ${age(oldest, now)}`}
      </summary>
      <ul>
        {freshness.map(({ channel, rfqsAt, listingsAt }) => (
          <li key={channel}>
            {channel}
            <br />
            {`RFQs ${pollAge(rfqsAt, now)}, listings ${pollAge(listingsAt, now)}`}
          </li>
        ))}
      </ul>
    </details>
  )
}

const pollAge = (at: string | null, now: Date) => (at === null ? 'not polled yet' : age(at, now))
