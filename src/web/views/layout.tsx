import type { ComponentChildren } from 'preact'
import type { User } from '../access/user.js'
import type { ChannelFreshness } from '../page-queries.js'
import { age } from './format.js'
import { STYLESHEET_PATH } from './stylesheet.js'

/** The pages that the navigation names, in order. */
const NAVIGATION: readonly { path: string; title: string }[] = [
  { path: '/runs', title: 'Runs' },
  { path: '/decisions', title: 'Decisions' },
  { path: '/problems', title: 'Problems' },
]

/** What pages show besides their content, for a user who is signed in. */
export interface Frame {
  user: User | null
  csrfToken: string
  canSignOut: boolean
  freshness: readonly ChannelFreshness[]
  now: Date
}

interface LayoutProps {
  /** What is shown, also in the title of the window. */
  title: string
  /** Path of the page in the navigation. */
  current?: string
  /** Null where nobody is signed in, and for errors. */
  frame?: Frame | null
  children: ComponentChildren
}

/** The frame of every page. */
export function Layout({ title, current, frame = null, children }: LayoutProps) {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{`${title} · Quotekeeper`}</title>
        <link rel="stylesheet" href={STYLESHEET_PATH} />
        <link rel="icon" href="data:," />
      </head>
      <body>
        <a class="skip" href="#main">
          Skip to the content
        </a>
        <header class="top">
          <div class="wrap">
            <a class="brand" href="/">
              Quotekeeper
            </a>
            {frame && <Navigation current={current} />}
            {frame?.canSignOut && <SignOut frame={frame} />}
          </div>
        </header>
        {frame && <FreshnessLine frame={frame} />}
        <main id="main" class="wrap" tabindex={-1}>
          {children}
        </main>
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

/** How recent the figures are. */
const FreshnessLine = ({ frame: { freshness, now } }: { frame: Frame }) => (
  <div class="freshline">
    <div class="wrap fresh">
      <span>{`As of ${now.toISOString().slice(11, 16)} UTC`}</span>
      {freshness.map(({ channel, rfqsAt, listingsAt }) => (
        <span key={channel}>
          {`${channel}: RFQs ${pollWords(rfqsAt, now)}, listings ${pollWords(listingsAt, now)}`}
        </span>
      ))}
    </div>
  </div>
)

const pollWords = (at: string | null, now: Date) => (at === null ? 'not polled yet' : `polled ${age(at, now)}`)
