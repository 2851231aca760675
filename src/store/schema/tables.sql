-- The tables of both engines (docs/DATABASE.md). What each adds is in sqlite.sql and postgres.sql; triggers and views are in views.sql.
-- Timestamps are ISO texts in UTC, flags are 0 and 1.

create table meta (key text primary key, value text not null);

-- Polls and closing rounds.
create table runs (
  id integer primary key,
  channel text not null,
  kind text not null check (kind in ('listings', 'rfqs', 'close')),
  started_at text not null,
  finished_at text,
  outcome text check (outcome in ('complete', 'partial', 'failed', 'interrupted')),
  requests integer not null default 0,
  seen integer not null default 0,
  inserted integer not null default 0,
  changed integer not null default 0,
  unchanged integer not null default 0,
  missing integer not null default 0,
  invalid integer not null default 0,
  -- RFQs that failed in a run that processed everything else; null if the run was cut short.
  failed_items integer,
  -- Documents that a poll left to the next one because the request budget was exceeded.
  postponed integer not null default 0,
  -- Whether the list may not be whole: 0 or 1; null if none was read.
  suspicious integer,
  error text,
  -- "error" without the RFQs that need attention.
  cause text,
  -- JSON: why a closing round stopped closing, and the result of comparing the clocks if they were the reason.
  stop text,
  not_before text,
  -- The process, as JSON, and a counter that it increases while the run is unfinished.
  holder text not null,
  heartbeat integer not null default 0,
  -- JSON: requests per second that the limit allows the channel, and that its documents require; null if the run planned no requests.
  request_rates text
);
create index runs_unfinished on runs (channel, kind) where finished_at is null;
create index runs_newest on runs (channel, kind, id);

-- The lock of each channel: the run that holds it, and how urgently somebody waits for it: 1 a poll, 2 a closing round or a person.
create table channels (
  channel text primary key,
  lock_run integer,
  wanted integer not null default 0
);

-- The state of each document.
create table documents (
  channel text not null,
  kind text not null check (kind in ('listing', 'rfq-entry', 'rfq', 'response')),
  -- The RFQ of a response; empty for other documents.
  rfq_id text not null default '',
  id text not null,
  -- The newest version with a single body, which is shown, and the newest of all.
  version integer not null,
  newest_version integer not null,
  first_observed_at text not null,
  last_observed_at text not null,
  last_read_at text not null,
  changed_at text not null,
  missing_since text,
  -- When the last request that read the document itself was sent, or null; and when it was last requested, even if the request failed.
  full_read_at text,
  requested_at text,
  -- For an RFQ: whether it was read since its newest list entry was recorded.
  entry_read integer not null default 0 check (entry_read in (0, 1)),
  -- For a response: the hash of its summary in the RFQ as of its last request; null if the summary has changed since.
  summary_hash text,
  -- SHA-256 of the newest text, so that the same text is not parsed again; marked if it must be.
  text_hash text,
  -- For an RFQ and a list entry: from its newest version. For an RFQ: whether its newest list entry contradicts it.
  state text,
  due_date text,
  -- For a response: the id of its listing, in the form in which ids are compared.
  listing_id text,
  contradicted integer not null default 0 check (contradicted in (0, 1)),
  -- The newest text, if it differs from that of the newest version.
  latest_body text,
  primary key (channel, kind, rfq_id, id)
);
create index documents_due on documents (channel, state, due_date) where kind = 'rfq';

-- Every body that was observed.
create table versions (
  channel text not null,
  kind text not null,
  rfq_id text not null default '',
  id text not null,
  version integer not null,
  -- SHA-256 of the body as it was sent.
  content_hash text not null,
  not_before text,
  observed_at text not null,
  superseded_at text,
  run_id integer not null references runs (id),
  valid integer not null check (valid in (0, 1)),
  shape text not null check (shape in ('full', 'list', 'summary')),
  -- How many differing bodies a list has of it: if several, body is the array of them; 0 if a whole list does not have it.
  bodies integer not null,
  body text,
  primary key (channel, kind, rfq_id, id, version)
);
create index versions_of_run on versions (run_id);
-- For the RFQs whose offers changed, so that no document is read to find them.
create index versions_observed on versions (observed_at, kind, channel, rfq_id);

-- Deviations from the API description.
create table problems (
  channel text not null,
  kind text not null,
  entity_id text not null,
  path text not null,
  code text not null,
  -- As of when the problem was first found, so that a report on a past moment never changes.
  message text not null,
  first_seen_at text not null,
  last_seen_at text not null,
  times integer not null,
  primary key (channel, kind, entity_id, path, code)
);

-- The decisions of closing rounds. They and awards are one hash chain, in the order of ids.
create table close_decisions (
  id integer primary key,
  run_id integer not null references runs (id),
  channel text not null,
  rfq_id text not null,
  rfq_number real,
  due_date text,
  time_zone text not null,
  decided_at text not null,
  decision text not null check (decision in ('close', 'would-close', 'keep', 'blocked')),
  reason text not null,
  outcome text check (outcome in ('closed', 'already-closed', 'refused', 'failed', 'unknown')),
  http_status integer,
  message text,
  version_before integer,
  version_after integer,
  evidence text not null,
  previous_hash text not null,
  hash text not null,
  -- As in the evidence.
  approved_by text,
  -- Consecutive rounds that made this decision, and when the last of them repeated it. The hash chain does not cover these.
  times integer not null default 1,
  repeated_until text
);
create index close_decisions_of on close_decisions (channel, rfq_id, id);
create index close_decisions_outcome on close_decisions (channel, rfq_id, id) where outcome is not null;
create index close_decisions_of_channel on close_decisions (channel, id);
create index close_decisions_of_run on close_decisions (run_id);

-- Written before each POST that closes an RFQ.
create table close_intents (
  id integer primary key,
  channel text not null,
  rfq_id text not null,
  state text not null
    check (state in ('planned', 'sending', 'closed', 'already-closed', 'refused', 'failed', 'unknown')),
  run_id integer not null references runs (id),
  created_at text not null,
  sent_at text,
  posts integer not null default 0,
  evidence text not null
);
create unique index close_intents_one_open on close_intents (channel, rfq_id) where state in ('planned', 'sending');
create index close_intents_sent on close_intents (channel, rfq_id, sent_at);
create index close_intents_of_run on close_intents (run_id);

-- Reports that were written.
create table reports (
  id integer primary key,
  -- The path in the report folder.
  name text not null,
  channel text not null,
  -- Null for the overview of a channel.
  rfq_id text,
  as_of text not null,
  made_at text not null,
  made_by text,
  sha256 text not null,
  bytes integer not null
);
create index reports_by_name on reports (name, id);
create index reports_by_channel on reports (channel, made_at);

-- An event is written in the transaction that observed it, and never changes.
create table events (
  sequence integer primary key,
  id text not null unique,
  kind text not null,
  at text not null,
  channel text,
  rfq_id text,
  offer_id text,
  -- The version of the offer, if the event is about one; otherwise of the RFQ.
  version integer,
  -- What happened, in a sentence.
  text text not null,
  data text not null
);
create index events_of_rfq on events (channel, rfq_id, at);
-- The list of changes: what can change an award, then what cannot.
create index events_by_weight on events ((
  case when kind in ('award.recorded', 'award.withdrawn', 'recommendation.changed') then 1 else 0 end) desc nulls last, at desc nulls last, sequence desc nulls last, kind);

-- The targets that the service was started with. One process at a time sends to a target.
create table delivery_targets (
  target text primary key,
  -- JSON: the kinds and channels of events that it takes; a null channel: all.
  takes text not null,
  -- The sequence up to which it got everything that it takes, or was passed over.
  position integer not null,
  -- Consecutive attempts that failed, when the first was made, and when the next may be.
  failures integer not null default 0,
  failing_since text,
  retry_at text,
  succeeded_at text,
  error text,
  -- JSON: the newest events that it never got.
  passed_over text,
  -- The process that sends to it, as JSON, and a counter that it increases.
  holder text,
  heartbeat integer not null default 0
);

-- Settings of comparisons, by the hash of their canonical JSON.
create table settings (hash text primary key, settings text not null);

-- The recommendation for an RFQ: a row for each moment at which status, offers or their amounts changed.
create table recommendations (
  number integer primary key,
  channel text not null,
  rfq_id text not null,
  at text not null,
  status text not null,
  -- JSON: the offers, with tonnes and cost.
  offers text not null,
  tonnes real,
  cost real,
  price_per_tonne real,
  currency text,
  -- The settings, with the exchange rates of the moment.
  settings_hash text not null references settings (hash),
  -- Why it differs from the previous row; null in the first one.
  reason text,
  superseded_at text
);
create unique index recommendations_newest on recommendations (channel, rfq_id) where superseded_at is null;
create index recommendations_of on recommendations (channel, rfq_id, at);

-- What lists show of an RFQ.
create table figures (
  channel text not null,
  rfq_id text not null,
  -- A hash of the day, settings, rates and rules that it was computed with; empty if what it depends on changed since; 'settled' of a closed
  -- RFQ that is decided, whose figures stay.
  key text not null,
  valid integer not null,
  -- The number of offers that are not missing.
  offers integer not null,
  -- JSON: the state of the standing award on the marketplace; null if there is none. Its status, by which awards are sorted.
  award text,
  award_status text,
  -- JSON: the tonnes and amounts that are accepted, awarded and recommended; null if nothing is.
  stakes text,
  -- JSON: the credits of listings that its offers claim; null if they claim none.
  claims text,
  -- The columns by which lists are searched and sorted; texts in lower case. `recommended` is the first offer of what is awarded, accepted or
  -- recommended, which all together costs `total`.
  search text not null,
  number real,
  title text,
  recommended text,
  wanted real,
  coverage real,
  best_price real,
  price real,
  total real,
  -- Whether a person has to look at the RFQ, whatever its due date: 0 no, 1 soon, 2 now.
  attention integer not null check (attention in (0, 1, 2)),
  computed_at text not null,
  -- JSON. The last columns, because they are the longest.
  facts text not null,
  figures text not null,
  primary key (channel, rfq_id)
);
-- To detect a number that several RFQs have.
create index figures_number on figures (channel, number);
create index figures_outdated on figures (channel, rfq_id) where key = '';
create index figures_claims on figures (channel, number, rfq_id) where claims is not null;

-- The awards of the desk, in the chain of close_decisions. A withdrawal is a separate row without offers.
create table awards (
  id integer primary key,
  channel text not null,
  rfq_id text not null,
  rfq_number real,
  at text not null,
  by_whom text not null,
  withdraws integer references awards (id),
  as_of text not null,
  -- JSON: the offers, with tonnes, cost, version and hashes.
  offers text not null,
  tonnes real,
  total real,
  price_per_tonne real,
  currency text,
  because text,
  -- JSON: the objections that were shown when it was recorded.
  warnings text not null,
  -- JSON: the recommendation at that time, and whether the award follows it.
  recommendation text,
  followed integer check (followed in (0, 1)),
  settings_hash text references settings (hash),
  workbook_sha256 text,
  program_version text not null,
  previous_hash text not null,
  hash text not null,
  -- Base64; its hash is in the chain. Last, so that lists do not read it.
  workbook text
);
create index awards_of on awards (channel, rfq_id, id);
create index awards_at on awards (at);
create unique index awards_withdrawn on awards (withdraws) where withdraws is not null;

-- Units of a currency per euro.
create table exchange_rates (
  currency text not null,
  date text not null,
  fetched_at text not null,
  rate real not null,
  source text not null,
  primary key (currency, date, fetched_at)
);
