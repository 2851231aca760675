/** What `quotekeeper init` writes; quotekeeper.example.yaml holds the same text (a test says so). */
export const EXAMPLE_CONFIG = `# Quotekeeper: configuration. Every key is explained in docs/CONFIGURATION.md.
# A relative path is relative to the folder of this file. API keys never stand here, only where to find them.

# Address of the marketplace: https, or http on this machine only.
baseUrl: https://marketplace.example.com

# Everything that was seen, in one SQLite file.
database: ./data/quotekeeper.db

# How jobs run: in-process needs nothing else; redis://host:6379 or postgres://host/database let several processes and
# machines share the work.
queue: in-process

channels:
  - org: acme
    channel: forest
    apiKey: { env: ACME_API_KEY } # or { file: /run/secrets/acme }
    # on: close RFQs past their due date; dry-run: only say which would be closed; off: leave them alone.
    autoClose: dry-run
    # The calendar in which "due on 31 January" is read. An RFQ due today is not past its due date.
    timeZone: UTC
    # Extra hours after the due date has ended.
    graceHours: 0

# When what is done: cron, five fields (minute hour day month weekday), six with seconds first; null for never.
schedule:
  listings: "*/30 * * * *"
  rfqs: "*/5 * * * *"
  closeExpired: "*/10 * * * *"
  channelReport: "0 6 * * 1-5"
scheduleTimeZone: UTC

# How hard the marketplace is asked.
requests:
  concurrency: 8 # requests under way at once
  perSecond: 20 # requests begun per second
  timeoutMs: 30000 # from sending a request to the last byte of its answer
  retries: 5 # of a read that failed for a reason that may pass
  maxBodyMiB: 256 # larger answers are refused

closing:
  enabled: true # false stops all closing, whatever the channels say
  maxPerRun: 25 # more at once are held until a person approves them
  maxClockSkewSeconds: 60 # nothing is closed while the clocks are further apart
  reportOnClose: true # write the offer comparison of an RFQ when it was closed

reports:
  directory: ./data/reports
  # How offers are compared; each is explained in docs/COMPARISON.md. A workbook lets its reader change most of it.
  currency: null # compare in this currency, such as EUR; null: each RFQ's own
  exchangeRates: {} # what one unit is worth in it: { USD: 0.92, GBP: { rate: 1.17, date: 2026-01-31, source: ECB } }
  weights: # how much each score counts
    price: 45
    coverage: 15
    delivery: 15
    promptness: 5
    vintage: 10
    payment: 5
    evidence: 5
  discountRate: 0.08 # a year: later payments weigh less
  haircuts: # share of the volume thought not to arrive, by contract type
    spot: 0
    forward: 0
    other: 0
  wantedVolume: min # min, mid or max: which of the RFQ's volumes coverage and awards aim at
  rankExpired: false # rank offers although they expired
  expiryWindowDays: 14 # an offer that expires within so many days is flagged
  prepaymentShareLimit: 0.3 # a larger share of the total asked before delivery is flagged
  volumeTolerance: 0.5 # tonnes a stated volume may differ from the sum of its lines
  totalTolerance: 0.001 # share a stated total may differ from the sum of its lines
  waitDays: 365 # mean wait that halves the promptness score
  vintagePointsPerYear: 10 # points of the vintage score lost by each year of age

history:
  recheckClosedHours: 24 # how often a closed RFQ is read again

# Health, metrics and the web page. Off this machine a token is required.
web:
  host: 127.0.0.1
  port: 4780
  token: { env: QUOTEKEEPER_WEB_TOKEN }
`

/** What \`quotekeeper init\` writes beside it; .env.example holds the same text. */
export const EXAMPLE_ENV = `# Copy to .env beside quotekeeper.yaml and fill in. Variables of the environment win over it. Keep it to yourself.

# The API key of the channel acme/forest (channels[].apiKey: { env: ACME_API_KEY }).
ACME_API_KEY=

# Needed only when the web page listens off this machine.
QUOTEKEEPER_WEB_TOKEN=

# These stand in for keys of quotekeeper.yaml:
# QUOTEKEEPER_BASE_URL=https://marketplace.example.com
# QUOTEKEEPER_DATABASE=/var/lib/quotekeeper/quotekeeper.db
# QUOTEKEEPER_QUEUE=redis://localhost:6379
# QUOTEKEEPER_LOG_LEVEL=info
`
