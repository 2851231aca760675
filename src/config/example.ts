/** What `quotekeeper init` writes; quotekeeper.example.yaml is identical (test/config/example.test.ts). */
export const EXAMPLE_CONFIG = `# Quotekeeper: configuration. Every key is explained in docs/CONFIGURATION.md.
# A relative path is relative to the folder of this file. Never write an API key here, only where to find it.

# Address of the marketplace: https, or http on this machine only.
baseUrl: https://marketplace.example.com

# Where all observations are stored: a SQLite file, or postgres://user@host/database for processes on several machines.
database: ./data/quotekeeper.db
# Password of that server: { env: NAME } or { file: /run/secrets/postgres }.
databasePassword: null

# Job queue: in-process needs no server; redis://host:6379 shares the work among several processes; on several machines,
# they need a PostgreSQL database.
queue: in-process
# Password of that server: { env: NAME } or { file: /run/secrets/redis }.
queuePassword: null

channels:
  - org: acme
    channel: forest
    apiKey: { env: ACME_API_KEY } # or { file: /run/secrets/acme }
    # on: close RFQs that are past due; dry-run: only record which would be closed; off: never close.
    autoClose: dry-run
    # Time zone in which due dates are interpreted. An RFQ that is due today is not past due.
    timeZone: UTC
    # Hours to wait after the end of the due date before closing.
    graceHours: 0

# Cron expressions with five fields (minute hour day month weekday), or six with seconds first; null: never.
schedule:
  listings: "*/30 * * * *"
  rfqs: "*/5 * * * *"
  closeExpired: "*/10 * * * *"
  channelReport: "0 6 * * 1-5"
scheduleTimeZone: UTC

# Limits for requests to the marketplace, of all channels; the rate also of all processes on this database.
requests:
  concurrency: 8 # concurrent requests of each process
  perSecond: 20 # requests started per second
  timeoutMs: 30000 # from sending a request to the last byte of the response
  retries: 5 # of a read that failed temporarily
  maxBodyMiB: 128 # larger responses are rejected

# What a poll of the schedule reads again, within what perSecond allows until the next one (docs/POLLING.md).
polling:
  offersMaxAgeMinutes: 60 # an offer is read again before its terms are older; 0: at every poll
  urgentHours: 24 # everything of an RFQ due within this time is read at every poll

closing:
  enabled: true # false stops all closing, regardless of autoClose
  maxPerRun: 25 # a larger round is blocked until approved
  maxClockSkewSeconds: 60 # nothing is closed while the clocks differ by more
  reportOnClose: true # write the offer comparison of each closed RFQ

reports:
  directory: ./data/reports
  # How offers are compared (docs/COMPARISON.md).
  currency: null # compare in this currency, such as EUR; null: each RFQ's own
  # Value of one unit in that currency: { USD: 0.92, GBP: { rate: 1.17, date: 2026-01-31, source: ECB } }; or the address or path of
  # daily reference rates: https://www.ecb.europa.eu/stats/eurofxref/eurofxref-hist.zip; or both: { from: ADDRESS, USD: 0.92 }
  exchangeRates: {}
  discountRate: 0.08 # per year, for the present value of payments
  # The lowest total of the awards whose price per tonne is at most this share above the lowest; 0: the lowest price; or unlimited
  awardTolerance: 0.02
  priceBasis: quoted # what offers are compared by: quoted totals or present-value
  volume: null # tonnes to award at least, if more than an RFQ's minimum; meant for one report: --volume
  requirements: # hard: offers that do not meet it are not awarded; advisory: named; off: ignored
    reviewNotRejected: hard
    reviewAccepted: advisory
    notExpired: hard
    contractType: hard
    vintages: hard
    fulfilmentDate: hard
    priceMax: hard
    priceMin: advisory # a lower price is unusually cheap
    submittedOnTime: advisory
    listing: advisory # for a listing that the RFQ names
    volumeMax: hard # tonnes of the whole award

history:
  recheckClosedHours: 24 # hours after which a closed RFQ is read again
  # Versions and closings are kept for ever. null instead of a number of days: never removed.
  keepDays: 90 # days after which events, and runs that found nothing new, are deleted
  pruneSchedule: "30 3 * * *" # when the service does so; null: never

# Notifications (docs/NOTIFICATIONS.md). Send a test with: quotekeeper notify --test
notify:
  targets: {} # by name, such as
  #   crm: { type: webhook, url: https://crm.example.com/hooks, secret: { env: CRM_WEBHOOK_SECRET } }
  #   team: # kinds and channels choose events; without them, everything is sent
  #     { type: slack, url: { env: SLACK_WEBHOOK_URL }, kinds: [close.*, rfq.due-soon], channels: [acme/forest] } # or teams
  #   desk:
  #     type: email
  #     smtp: { host: mail.example.com, port: 587, security: starttls, user: me, password: { env: SMTP_PASSWORD } }
  #     from: quotekeeper@example.com
  #     to: [desk@example.com]
  #     digest: "0 7 * * 1-5" # in scheduleTimeZone; null: at once
  #     attachWorkbook: true # of reports
  dueSoonDays: 3 # days before the response due date at which an RFQ is due soon

# Web page and health endpoints. A token is required unless host is a loopback address.
web:
  host: 127.0.0.1
  port: 4780
  publicUrl: null # where browsers reach the page, if not there: https://quotes.example.com
  token: { env: QUOTEKEEPER_WEB_TOKEN } # of the user "operator"
  tokens: [] # of other users: [{ name: ana, role: viewer, token: { env: ANA_TOKEN } }]; role: viewer or operator
  # Behind a proxy that authenticates users (docs/WEB.md): the header with the user's name, and the secret that the
  # proxy sends, such as { env: QUOTEKEEPER_PROXY_SECRET }. Needs publicUrl.
  trustedUserHeader: null
  trustedUserRole: viewer
  proxySecret: null
`

/** The `.env.example` that `quotekeeper init` writes. */
export const EXAMPLE_ENV = `# Copy to .env beside quotekeeper.yaml and fill in. Environment variables take precedence. Keep the file private.

# API key of the channel acme/forest (channels[].apiKey: { env: ACME_API_KEY }).
ACME_API_KEY=

# Required only if web.host is not a loopback address.
QUOTEKEEPER_WEB_TOKEN=

# These override keys of quotekeeper.yaml:
# QUOTEKEEPER_BASE_URL=https://marketplace.example.com
# QUOTEKEEPER_DATABASE=/var/lib/quotekeeper/quotekeeper.db
# QUOTEKEEPER_QUEUE=redis://localhost:6379
# QUOTEKEEPER_QUEUE_PASSWORD_FILE=/run/secrets/redis
# QUOTEKEEPER_LOG_LEVEL=info
`

/** Whether a base URL has a host reserved for examples (RFC 2606), such as the one above. */
export const isExampleAddress = (baseUrl: string): boolean =>
  /(^|\.)example(\.(com|net|org))?$/.test(new URL(baseUrl).hostname)
