-- The schema of SQLite (docs/DATABASE.md). postgres.sql has the same tables, views and columns; what columns mean is explained here.
-- Timestamps are ISO texts in UTC, flags are 0 and 1. In a table without rowid, the columns of the key come first.

create table meta (key text primary key, value text not null) strict, without rowid;

-- database_id is a random UUID (version 4), which copies and backups keep.
insert into meta
select 'database_id', lower(substr(hex, 1, 8) || '-' || substr(hex, 9, 4) || '-4' || substr(hex, 14, 3) || '-'
  || substr('89ab', (random() & 3) + 1, 1) || substr(hex, 18, 3) || '-' || substr(hex, 21, 12))
from (select hex(randomblob(16)) as hex);

-- Polls and closing rounds.
create table runs (
  id integer primary key autoincrement,
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
) strict;
create index runs_unfinished on runs (channel, kind) where finished_at is null;
create index runs_newest on runs (channel, kind, id);

-- The lock of each channel: the run that holds it, and how urgently somebody waits for it: 1 a poll, 2 a closing round or a person.
create table channels (
  channel text primary key,
  lock_run integer,
  wanted integer not null default 0
) strict, without rowid;

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
  -- Hash of the newest text and the program version that parsed it, so that the same text is not parsed again.
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
) strict;
create index documents_due on documents (channel, state, due_date) where kind = 'rfq';
create index documents_listing on documents (channel, listing_id, rfq_id) where listing_id is not null;

-- Every body that was observed.
create table versions (
  channel text not null,
  kind text not null,
  rfq_id text not null default '',
  id text not null,
  version integer not null,
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
) strict;
create index versions_of_run on versions (run_id);
-- For the RFQs whose offers changed, so that no document is read to find them.
create index versions_observed on versions (observed_at, kind, channel, rfq_id);
-- RFQs are found by number and reference.
create index versions_number on versions (json_extract(body, '$.number')) where kind = 'rfq';
create index versions_reference on versions (lower(json_extract(body, '$.reference')))
  where kind = 'rfq';

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
) strict, without rowid;

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
) strict;
create index close_decisions_of on close_decisions (channel, rfq_id, id);
create index close_decisions_outcome on close_decisions (channel, rfq_id, id) where outcome is not null;
create index close_decisions_of_channel on close_decisions (channel, id);
create index close_decisions_of_run on close_decisions (run_id);

create view close_decision_repeats as
select id as decision_id, decided_at as first_at, repeated_until as last_at, times from close_decisions where times > 1;

-- Written before each POST that closes an RFQ.
create table close_intents (
  id integer primary key autoincrement,
  channel text not null,
  rfq_id text not null,
  state text not null
    check (state in ('planned', 'sending', 'closed', 'already-closed', 'refused', 'failed', 'unknown')),
  run_id integer not null references runs (id),
  created_at text not null,
  sent_at text,
  posts integer not null default 0,
  evidence text not null
) strict;
create unique index close_intents_one_open on close_intents (channel, rfq_id) where state in ('planned', 'sending');
create index close_intents_sent on close_intents (channel, rfq_id, sent_at);
create index close_intents_of_run on close_intents (run_id);

-- Reports that were written.
create table reports (
  id integer primary key autoincrement,
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
) strict;
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
) strict;
create index events_of_rfq on events (channel, rfq_id, at);
-- The list of changes: what can change an award, then what cannot.
create index events_by_weight on events ((
  case when kind in ('award.recorded', 'award.withdrawn', 'recommendation.changed') then 1 else 0 end), at, sequence, kind);

-- The targets that the service was started with. One process at a time sends to a target.
create table delivery_targets (
  target text primary key,
  -- JSON: the kinds and channels of events that it takes; a null channel: all.
  takes text not null,
  since text not null,
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
) strict, without rowid;

-- Settings of comparisons, by the hash of their canonical JSON.
create table settings (hash text primary key, settings text not null) strict, without rowid;

-- The recommendation for an RFQ and its figures: a row for each moment at which any of them changed.
create table recommendations (
  number integer primary key autoincrement,
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
  coverage real,
  best_price real,
  -- The settings, with the exchange rates of the moment.
  settings_hash text not null references settings (hash),
  -- Why status or offers differ from the previous row; null if only figures differ, and in the first row.
  reason text,
  superseded_at text
) strict;
create unique index recommendations_newest on recommendations (channel, rfq_id) where superseded_at is null;
create index recommendations_of on recommendations (channel, rfq_id, at);

-- What lists show of an RFQ.
create table figures (
  channel text not null,
  rfq_id text not null,
  -- A hash of the day, settings, rates and rules that it was computed with; empty if what it depends on changed since; 'settled' of a closed
  -- RFQ that is decided, whose figures stay.
  key text not null,
  -- The version of the RFQ that the row was computed from.
  version integer not null,
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
  -- The columns by which lists are searched and sorted.
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
) strict, without rowid;
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
) strict;
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
) strict, without rowid;

-- What never changes. Versions are immutable, except two times, and "valid", which revalidate.ts updates when the document schemas change.
create trigger versions_immutable before update of channel, kind, rfq_id, id, version, content_hash, not_before, observed_at,
  run_id, shape, bodies, body on versions
begin select raise(abort, 'a version never changes'); end;
create trigger versions_no_delete before delete on versions
begin select raise(abort, 'history is never removed'); end;
create trigger documents_key_immutable before update of channel, kind, rfq_id, id on documents
begin select raise(abort, 'a document keeps its identity'); end;
create trigger documents_no_delete before delete on documents
begin select raise(abort, 'history is never removed'); end;
create trigger decisions_immutable before update of id, run_id, channel, rfq_id, rfq_number, due_date, time_zone, decided_at,
  decision, reason, outcome, http_status, message, version_before, version_after, evidence, previous_hash, hash, approved_by
  on close_decisions
begin select raise(abort, 'the decision log is append-only'); end;
create trigger decisions_no_delete before delete on close_decisions
begin select raise(abort, 'the decision log is append-only'); end;
create trigger events_immutable before update on events
begin select raise(abort, 'an event never changes'); end;
create trigger awards_immutable before update on awards
begin select raise(abort, 'the log of awards is append-only'); end;
create trigger awards_no_delete before delete on awards
begin select raise(abort, 'the log of awards is append-only'); end;

-- The newest version of each document, with its newest body.
create view current_documents as
select d.channel, d.kind, d.rfq_id, d.id, d.version, v.content_hash, v.shape,
  d.first_observed_at, d.last_observed_at, d.changed_at, d.missing_since,
  v.valid, d.contradicted, coalesce(d.latest_body, v.body) as body
from documents d
join versions v on v.channel = d.channel and v.kind = d.kind and v.rfq_id = d.rfq_id and v.id = d.id and v.version = d.version;

-- Views for users, whose columns are extracted from the document, so that they cannot contradict it.
create view listings as
select channel, id,
  json_extract(body, '$.projectName') as project_name,
  json_extract(body, '$.organizationName') as organization_name,
  json_extract(body, '$.country') as country,
  json_extract(body, '$.registry') as registry,
  json_extract(body, '$.registryId') as registry_id,
  json_extract(body, '$.pricing.currency') as currency,
  json_extract(body, '$.pricing.minUnitPrice') as min_unit_price,
  json_extract(body, '$.pricing.maxUnitPrice') as max_unit_price,
  json_extract(body, '$.totalAvailableVolume.value') as total_available_volume,
  first_observed_at, last_observed_at, changed_at, missing_since, valid, body, version
from current_documents where kind = 'listing';

create view rfqs as
select channel, id,
  json_extract(body, '$.number') as number,
  json_extract(body, '$.reference') as reference,
  json_extract(body, '$.title') as title,
  json_extract(body, '$.state') as state,
  json_extract(body, '$.responseDueDate') as response_due_date,
  json_extract(body, '$.fulfilmentDueDate') as fulfilment_due_date,
  json_extract(body, '$.minVolume') as min_volume,
  json_extract(body, '$.maxVolume') as max_volume,
  json_extract(body, '$.pricing.currency') as currency,
  json_extract(body, '$.pricing.minUnitPrice') as min_unit_price,
  json_extract(body, '$.pricing.maxUnitPrice') as max_unit_price,
  json_extract(body, '$.createdAt') as created_at,
  json_extract(body, '$.updatedAt') as updated_at,
  json_extract(body, '$.openedAt') as opened_at,
  json_extract(body, '$.closedAt') as closed_at,
  coalesce(json_array_length(body, '$.responses'), 0) as offer_count,
  first_observed_at, last_observed_at, changed_at, missing_since, valid, contradicted, body, version, shape
from current_documents where kind = 'rfq';

create view offers as
select channel, rfq_id, id,
  json_extract(body, '$.listingId') as listing_id,
  json_extract(body, '$.projectDeveloperName') as project_developer_name,
  json_extract(body, '$.projectName') as project_name,
  json_extract(body, '$.status') as status,
  json_extract(body, '$.submittedAt') as submitted_at,
  coalesce(json_extract(body, '$.offer.contractType'), json_extract(body, '$.contractType')) as contract_type,
  coalesce(json_extract(body, '$.offer.currency'), json_extract(body, '$.currency')) as currency,
  coalesce(json_extract(body, '$.offer.totalVolume'), json_extract(body, '$.totalVolume')) as total_volume,
  coalesce(json_extract(body, '$.offer.totalPrice'), json_extract(body, '$.totalPrice')) as total_price,
  coalesce(json_extract(body, '$.offer.expiryDate'), json_extract(body, '$.expiryDate')) as expiry_date,
  first_observed_at, last_observed_at, changed_at, missing_since, valid, body, version, shape
from current_documents where kind = 'response';

create view offer_vintages as
select o.channel, o.rfq_id, o.id as response_id, d.key + 1 as delivery, v.key + 1 as vintage,
  json_extract(d.value, '$.fulfilmentDueDate') as fulfilment_due_date,
  json_extract(d.value, '$.fulfilmentMethod') as fulfilment_method,
  json_extract(v.value, '$.reportingPeriodStart') as reporting_period_start,
  json_extract(v.value, '$.reportingPeriodEnd') as reporting_period_end,
  json_extract(v.value, '$.name') as name,
  json_extract(v.value, '$.volume') as volume,
  json_extract(v.value, '$.unitPrice') as unit_price,
  json_extract(v.value, '$.mitigationTypes') as mitigation_types
from current_documents o
join json_each(
  case when json_type(o.body, '$.offer.scheduledDeliveries') = 'array' then json_extract(o.body, '$.offer.scheduledDeliveries') else '[]' end
) d on d.type = 'object'
join json_each(
  case when json_type(d.value, '$.vintages') = 'array' then json_extract(d.value, '$.vintages') else '[]' end
) v on v.type = 'object'
where o.kind = 'response';

create view offer_prepayments as
select o.channel, o.rfq_id, o.id as response_id, p.key + 1 as prepayment,
  json_extract(p.value, '$.amount') as amount,
  json_extract(p.value, '$.paymentDueDate') as payment_due_date
from current_documents o
join json_each(
  case when json_type(o.body, '$.offer.prePayments') = 'array' then json_extract(o.body, '$.offer.prePayments') else '[]' end
) p on p.type = 'object'
where o.kind = 'response';
