import type { ComponentChildren } from 'preact'
import type { ChannelFreshness } from '../../views/polls.js'
import type { User } from '../access/users.js'
import { age, Moment } from './format.js'
import { PAGE_SCRIPT_PATH } from './page-script.js'
import { STYLESHEET_PATH } from './stylesheet.js'

/** The pages that the navigation names, in order. */
const NAVIGATION: readonly { path: string; title: string }[] = [
  { path: '/', title: 'Today' },
  { path: '/rfqs', title: 'RFQs' },
  { path: '/changes', title: 'Changes' },
  { path: '/listings', title: 'Listings' },
  { path: '/channels', title: 'Channels' },
  { path: '/reports', title: 'Reports' },
  { path: '/runs', title: 'Runs' },
  { path: '/closings', title: 'Closings' },
  { path: '/problems', title: 'Problems' },
  { path: '/notifications', title: 'Notifications' },
  { path: '/queue', title: 'Queue' },
  { path: '/api', title: 'API' },
]

/** What surrounds the content of a page for a signed-in user. */
export interface Frame {
  user: User | null
  csrfToken: string
  canSignOut: boolean
  freshness: readonly ChannelFreshness[]
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

/** The frame of every page. */
export function Layout({ title, current, frame = null, children, html }: LayoutProps) {
  const main = { id: 'main', class: 'wrap', tabindex: -1, 'data-live': frame?.live }
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{`${title} · Quotekeeper`}</title>
        <link rel="stylesheet" href={STYLESHEET_PATH} />
        <link rel="icon" href="data:," />
        {frame && <script type="module" src={PAGE_SCRIPT_PATH} />}
      </head>
      <body>
        <a class="skip" href="#main">
          Skip to the content
        </a>
        <header>
          <div class="top">
            <div class="wrap">
              <a class="brand" href="/">
                Quotekeeper
              </a>
              {frame && <Navigation current={current} />}
              {frame?.canSignOut && <SignOut frame={frame} />}
            </div>
          </div>
          {frame && <FreshnessLine frame={frame} />}
          {frame?.asOf && <PastNotice asOf={frame.asOf} />}
        </header>
        {html === undefined ? (
          <main {...main}>{children}</main>
        ) : (
          <main {...main} dangerouslySetInnerHTML={{ __html: html }} />
        )}
      </body>
    </html>
  )
}

const Navigation = ({ current }: { current: string | undefined }) => (
  <nav aria-label="Pages">
    {NAVIGATION.map(({ path, title }) => (
      <a key={path} href={path} aria-current={path === current ? 'page' : undefined}>
        {title}
      </a>
    ))}
  </nav>
)

const SignOut = ({ frame: { user, csrfToken } }: { frame: Frame }) => (
  <form method="post" action="/sign-out">
    <input type="hidden" name="_csrf" value={csrfToken} />
    <span class="who">{user?.name}</span>
    <button type="submit">Sign out</button>
  </form>
)

const PastNotice = ({ asOf: { at, kind, nowLink, incomplete } }: { asOf: NonNullable<Frame['asOf']> }) => (
  <div class="past" role="note">
    <div class="wrap">
      As known on <Moment at={at.toISOString()} /> UTC.{' '}
      {incomplete.length > 0 &&
        `No complete poll of ${kind === 'rfqs' ? 'RFQs' : kind} yet of ${incomplete.join(', ')}. `}
      <a href={nowLink}>Show the current state</a>
    </div>
  </div>
)

/** How recent the figures are: of the only channel, or of the one with the oldest poll. */
function FreshnessLine({ frame: { freshness, now } }: { frame: Frame }) {
  const [only, ...others] = freshness
  const prefix = only !== undefined && others.length === 0 ? `${only.channel}: ` : ''
  const most = others.length === 0 ? '' : 'at most '
  return (
    <div class="freshline">
      <div class="wrap fresh">
        <span>{`As of ${now.toISOString().slice(11, 16)} UTC`}</span>
        <span>{`${prefix}RFQs ${pollText(freshness, 'rfqsAt', now, most)}`}</span>
        <span>{`listings ${pollText(freshness, 'listingsAt', now, most)}`}</span>
        {others.length > 0 && <span>{`${freshness.length} channels`}</span>}
      </div>
    </div>
  )
}

function pollText(
  freshness: readonly ChannelFreshness[],
  kind: 'rfqsAt' | 'listingsAt',
  now: Date,
  most: string,
): string {
  const missing = freshness.filter((channel) => channel[kind] === null).map(({ channel }) => channel)
  if (missing.length > 0) return `not polled yet${freshness.length > 1 ? `: ${missing.join(', ')}` : ''}`
  const oldest = freshness.flatMap((channel) => channel[kind] ?? []).sort()[0]
  return oldest === undefined ? 'not polled' : `polled ${most}${age(oldest, now)}`
}
