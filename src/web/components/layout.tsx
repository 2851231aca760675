import type { ComponentChildren } from 'preact'
import { formatAmount } from '../../core/text/number-format.js'
import { formatAge } from '../../core/time/read-times.js'
import { DUE_WITHIN_DAYS } from '../../tables/lists/rfqs.js'
import type { ChannelFreshness } from '../../tables/polls.js'
import type { User } from '../access/users.js'
import { PAGE_SCRIPT_PATH } from '../routes/assets.js'
import { Moment } from './format.js'
import { STYLESHEET } from './stylesheet.js'

/** Every page of the rail. */
const PAGES = [
  ['/', 'Today'],
  ['/rfqs', 'RFQs'],
  ['/changes', 'Changes'],
  ['/awards', 'Awards'],
  ['/closings', 'Closings'],
  ['/reports', 'Reports'],
  ['/listings', 'Listings'],
  ['/system', 'System'],
] as const

/** What surrounds the content of a page for a signed-in user. */
interface Frame {
  user: User | null
  canSignOut: boolean
  freshness: readonly ChannelFreshness[]
  /** RFQs that wait for a person; null on pages of errors, which read nothing. */
  waiting: number | null
  now: Date
  /** The past moment that is shown, and the address of the present. */
  past?: { asOf: Date; isIncomplete: boolean; nowLink: string } | undefined
  /** What the script does after a poll: show the new page, or announce it. */
  live?: 'replace' | 'notice'
  /** What is recorded, in a short form that changes with it. */
  pulse?: string
}

interface LayoutProps {
  /** What is shown, also in the title of the window. */
  title: string
  /** Path of the page in the navigation. */
  current?: string
  /** Null if no user is signed in. */
  frame?: Frame | null
  children: ComponentChildren
}

/** The frame of every page: the rail with all pages, then its content. */
export const Layout = ({ title, current, frame = null, children }: LayoutProps) => (
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
    <body class={frame ? 'shell' : undefined}>
      {frame && (
        <a class="skip" href="#main">
          Skip to the content
        </a>
      )}
      {frame && <Rail frame={frame} current={current} />}
      <div>
        {frame?.past && <PastNotice {...frame.past} />}
        <main id="main" tabindex={-1} data-live={frame?.live} data-pulse={frame?.pulse}>
          {children}
        </main>
      </div>
    </body>
  </html>
)

/** A search of RFQs, all pages, the age of what is shown, and who is signed in. */
const Rail = ({ frame, current }: { frame: Frame; current: string | undefined }) => (
  <header class="rail">
    <a class="brand" href="/">
      Quotekeeper
    </a>
    <search>
      <form action="/rfqs">
        <input type="search" name="q" aria-label="Search RFQs" placeholder="Search RFQs" />
      </form>
    </search>
    <nav aria-label="Pages">
      {PAGES.map(([path, title]) => (
        <a key={path} href={path} aria-current={path === current ? 'page' : undefined}>
          {title}
          {path === '/' && frame.waiting ? <Waiting count={frame.waiting} /> : null}
        </a>
      ))}
    </nav>
    <div class="foot">
      {frame.freshness.length > 0 && <Freshness frame={frame} />}
      {frame.canSignOut && (
        <form method="post" action="/sign-out">
          {frame.user?.name}
          <button type="submit" class="quiet">
            Sign out
          </button>
        </form>
      )}
    </div>
  </header>
)

/** Read as `Today, 3 wait`. */
const Waiting = ({ count }: { count: number }) => (
  <span class="waiting" title={`RFQs due within ${DUE_WITHIN_DAYS} days, overdue, or with something to decide`}>
    <span class="visually-hidden">, </span>
    {formatAmount(count)}
    <span class="visually-hidden"> wait</span>
  </span>
)

const PastNotice = ({ asOf, isIncomplete, nowLink }: NonNullable<Frame['past']>) => (
  <div class="past" role="note">
    As known on <Moment at={asOf.toISOString()} />, with the settings of now.{' '}
    {isIncomplete && 'No poll was complete by then. '}
    <a href={nowLink}>Show the current state</a>
  </div>
)

/** How old a poll may be before its age is shown as a warning, in milliseconds. */
const LATE_MS = 60 * 60_000

/** How recent the figures are: the worst age; System has that of each channel. */
function Freshness({ frame: { freshness, now } }: { frame: Frame }) {
  const ages = freshness.map(({ rfqsAt }) => rfqsAt)
  const oldest = ages.includes(null) ? null : (ages.sort()[0] ?? null)
  const isLate = oldest === null || now.getTime() - Date.parse(oldest) > LATE_MS
  return (
    <p class={isLate ? 'fresh late' : 'fresh'}>
      <a href="/system">{oldest === null ? 'Not all polled yet' : `Polled ${formatAge(oldest, now)} ago`}</a>, times in{' '}
      <span id="zone">UTC</span>
    </p>
  )
}
