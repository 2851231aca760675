import { COMPACT_TABLES, currentDocumentsWith } from './compact-tables.js'
import { CONFLICTS_BEFORE, validUnlessContradicted } from './list-conflicts.js'
import { failingSince, outbox } from './outbox-schema.js'
import { SHORTER_ENTITIES, SHORTER_FINGERPRINTS } from './shorter-entities.js'

/** A migration, applied by migrate.ts. A released migration is never edited: every change is a new one. */
export interface Migration {
  name: string
  sql: string
}

const tables = `
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
  error text,
  suspicious integer not null default 0,
  not_before text,
  holder text not null,
  lease_until text not null
) strict;
-- The lock: one live run of a kind on a channel, in all processes on this database.
create unique index runs_one_live on runs (channel, kind) where finished_at is null;
create index runs_newest on runs (channel, kind, id);

-- The newest moment anything of a channel was recorded: timestamps of a channel never go backwards.
create table channels (channel text primary key, newest_at text not null) strict, without rowid;

create table entities (
  channel text not null,
  kind text not null check (kind in ('listing', 'rfq', 'response')),
  rfq_id text not null default '',
  id text not null,
  version integer not null,
  first_observed_at text not null,
  last_observed_at text not null,
  last_read_at text not null,
  changed_at text not null,
  missing_since text,
  list_hash text,
  latest_body text,
  primary key (channel, kind, rfq_id, id)
) strict, without rowid;

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
  body text not null,
  primary key (channel, kind, rfq_id, id, version)
) strict;

create table absences (
  channel text not null,
  kind text not null,
  rfq_id text not null default '',
  id text not null,
  not_before text not null,
  missing_since text not null,
  returned_at text,
  run_id integer not null references runs (id)
) strict;
create index absences_of on absences (channel, kind, rfq_id, id);

create table problems (
  channel text not null,
  kind text not null,
  entity_id text not null,
  path text not null,
  code text not null,
  message text not null,
  first_seen_at text not null,
  last_seen_at text not null,
  times integer not null,
  primary key (channel, kind, entity_id, path, code)
) strict, without rowid;

create table close_decisions (
  id integer primary key autoincrement,
  run_id integer not null references runs (id),
  channel text not null,
  rfq_id text not null,
  rfq_number real,
  due_date text,
  time_zone text not null,
  decided_at text not null,
  decision text not null check (decision in ('close', 'would-close', 'keep', 'held')),
  reason text not null,
  outcome text check (outcome in ('closed', 'already-closed', 'refused', 'failed', 'unknown')),
  http_status integer,
  message text,
  version_before integer,
  version_after integer,
  evidence text not null,
  previous_hash text not null,
  hash text not null
) strict;
create index close_decisions_of on close_decisions (channel, rfq_id, id);

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
  settled_at text,
  evidence text not null
) strict;
create unique index close_intents_one_open on close_intents (channel, rfq_id) where state in ('planned', 'sending');

create table held_rounds (
  plan_id text primary key,
  channel text not null,
  rfq_ids text not null,
  created_at text not null,
  expires_at text not null
) strict, without rowid;
`

const guards = `
-- Versions are immutable, except "valid", which revalidate.ts updates after the document schemas changed.
create trigger versions_stay before update of channel, kind, rfq_id, id, version, content_hash, not_before, observed_at,
  run_id, shape, body on versions
begin select raise(abort, 'a version never changes'); end;
create trigger versions_last before delete on versions
begin select raise(abort, 'history is never removed'); end;
create trigger decisions_stay before update on close_decisions
begin select raise(abort, 'the decision log is append-only'); end;
create trigger decisions_last before delete on close_decisions
begin select raise(abort, 'the decision log is append-only'); end;
`

const array = (json: string, path: string) =>
  `case when json_type(${json}, '${path}') = 'array' then json_extract(${json}, '${path}') else '[]' end`

const currentDocuments = (more: string) => `
create view current_documents as
select e.channel, e.kind, nullif(e.rfq_id, '') as rfq_id, e.id, e.version, v.content_hash, v.shape,
  e.first_observed_at, e.last_observed_at, e.changed_at, e.missing_since, v.valid, coalesce(e.latest_body, v.body) as body${more}
from entities e
join versions v on v.channel = e.channel and v.kind = e.kind and v.rfq_id = e.rfq_id and v.id = e.id
  and v.version = e.version;
`

/**
 * Views whose columns are extracted from the body, so that they cannot contradict it.
 * @param json the column of `current_documents` to extract from
 */
function documentViews(json: string): string {
  const columns = (fields: Record<string, string>) =>
    Object.entries(fields)
      .map(([name, path]) => `json_extract(${json}, '${path}') as ${name}`)
      .join(',\n  ')
  const either = (name: string, first: string, second: string) =>
    `coalesce(json_extract(${json}, '${first}'), json_extract(${json}, '${second}')) as ${name}`
  return `
create view listings as
select channel, id,
  ${columns({
    project_name: '$.projectName',
    organization_name: '$.organizationName',
    country: '$.country',
    registry: '$.registry',
    registry_id: '$.registryId',
    currency: '$.pricing.currency',
    min_unit_price: '$.pricing.minUnitPrice',
    max_unit_price: '$.pricing.maxUnitPrice',
  })},
  first_observed_at, last_observed_at, changed_at, missing_since, valid, body, version
from current_documents where kind = 'listing';

create view rfqs as
select channel, id,
  ${columns({
    number: '$.number',
    reference: '$.reference',
    title: '$.title',
    state: '$.state',
    response_due_date: '$.responseDueDate',
    fulfilment_due_date: '$.fulfilmentDueDate',
    min_volume: '$.minVolume',
    max_volume: '$.maxVolume',
    currency: '$.pricing.currency',
    min_unit_price: '$.pricing.minUnitPrice',
    max_unit_price: '$.pricing.maxUnitPrice',
    created_at: '$.createdAt',
    updated_at: '$.updatedAt',
    opened_at: '$.openedAt',
    closed_at: '$.closedAt',
  })},
  coalesce(json_array_length(${json}, '$.responses'), 0) as offer_count,
  first_observed_at, last_observed_at, changed_at, missing_since, valid, body, version, shape
from current_documents where kind = 'rfq';

create view offers as
select channel, rfq_id, id,
  ${columns({
    listing_id: '$.listingId',
    project_developer_name: '$.projectDeveloperName',
    project_name: '$.projectName',
    status: '$.status',
    submitted_at: '$.submittedAt',
  })},
  ${either('contract_type', '$.offer.contractType', '$.contractType')},
  ${either('currency', '$.offer.currency', '$.currency')},
  ${either('total_volume', '$.offer.totalVolume', '$.totalVolume')},
  ${either('total_price', '$.offer.totalPrice', '$.totalPrice')},
  ${either('expiry_date', '$.offer.expiryDate', '$.expiryDate')},
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
join json_each(${array(`o.${json}`, '$.offer.scheduledDeliveries')}) d on d.type = 'object'
join json_each(${array('d.value', '$.vintages')}) v on v.type = 'object'
where o.kind = 'response';

create view offer_prepayments as
select o.channel, o.rfq_id, o.id as response_id, p.key + 1 as prepayment,
  json_extract(p.value, '$.amount') as amount,
  json_extract(p.value, '$.paymentDueDate') as payment_due_date
from current_documents o
join json_each(${array(`o.${json}`, '$.offer.prePayments')}) p on p.type = 'object'
where o.kind = 'response';
`
}

const repeatsAndApprovals = `
-- Rounds in a row that came to the same decision; the log itself is append-only.
create table close_decision_repeats (
  decision_id integer primary key references close_decisions (id),
  first_at text not null,
  last_at text not null,
  times integer not null
) strict;
-- Read from the evidence, which the hash chain covers.
alter table close_decisions
  add column approved_by text generated always as (json_extract(evidence, '$.approvedBy')) virtual;
alter table held_rounds add column approved_at text;
alter table held_rounds add column approved_by text;
alter table held_rounds add column superseded_at text;
create index close_intents_sent on close_intents (channel, rfq_id, sent_at);
create index close_decisions_outcome on close_decisions (channel, rfq_id, id) where outcome is not null;
`

const failedItems = `
-- RFQs that failed in a run that otherwise did everything; null if the run was cut short, and in older runs.
alter table runs add column failed_items integer;
`

/** Facts about the database itself. */
export const META_TABLE = 'create table if not exists meta (key text primary key, value text not null) strict'

const identity = `
-- database_id is a random UUID (version 4), which copies and backups keep. A restored
-- backup of an earlier schema may have it already (identity.ts).
${META_TABLE};
insert or ignore into meta
select 'database_id', lower(substr(hex, 1, 8) || '-' || substr(hex, 9, 4) || '-4' || substr(hex, 14, 3) || '-'
  || substr('89ab', (random() & 3) + 1, 1) || substr(hex, 18, 3) || '-' || substr(hex, 21, 12))
from (select hex(randomblob(16)) as hex);
`

const maintenance = `
-- When the tasks that concern the whole database last ran (jobs/maintenance.ts).
create table maintenance (
  task text primary key,
  attempted_at text not null,
  succeeded_at text,
  failures integer not null default 0,
  error text,
  -- While it runs, so that no other process runs it too.
  running_until text
) strict, without rowid;
-- Idle runs of a day are folded into one row; times is how many it stands for.
alter table runs add column times integer not null default 1;
-- To find quickly what refers to a run, also when one is deleted.
create index versions_of_run on versions (run_id);
create index absences_of_run on absences (run_id);
create index close_decisions_of_run on close_decisions (run_id);
create index close_intents_of_run on close_intents (run_id);
`

const DROP_VIEWS = `
drop view listings;
drop view rfqs;
drop view offers;
drop view offer_vintages;
drop view offer_prepayments;
drop view current_documents;
`

// What parsing changes is stored twice: as received, and as JSON of the parsed body. SQLite reads the text of a body another
// way than Quotekeeper: it takes the first of two equal keys, and reads 1e400 as infinity.
const receivedBodies = `
alter table versions add column body_as_received integer not null default 0 check (body_as_received in (0, 1));
-- Null if parsing the body loses nothing.
alter table versions add column parsed_body text;
alter table entities add column latest_parsed_body text;
create trigger versions_text_stays before update of body_as_received, parsed_body on versions
begin select raise(abort, 'a version never changes'); end;
${DROP_VIEWS}${currentDocuments(`,
  case when e.latest_body is null then coalesce(v.parsed_body, v.body)
    else coalesce(e.latest_parsed_body, e.latest_body) end as parsed_body`)}
${documentViews('parsed_body')}
`

// For lists and changes over all RFQs: they are found without reading a document.
const observations = `
create index versions_observed
  on versions (observed_at, superseded_at, channel, kind, rfq_id, id, version, valid);
create index absences_begun on absences (missing_since);
create index absences_ended on absences (returned_at) where returned_at is not null;
`

// What decides which documents a poll reads again (docs/POLLING.md).
const requestPlanning = `
-- When the request that last read the document itself, not only its entry or summary, was sent; null if none did.
alter table entities add column full_read_at text;
-- When the document itself was last requested, also in vain.
alter table entities add column requested_at text;
-- Of a response: hashes of its summary in the RFQ, as last observed and as it was when the response was last read.
alter table entities add column summary_hash text;
alter table entities add column read_summary_hash text;
-- What the marketplace sent with the newest text, for conditional requests.
alter table entities add column etag text;
alter table entities add column last_modified text;
update entities set full_read_at = last_read_at, requested_at = last_read_at
where exists (select 1 from versions v where v.channel = entities.channel and v.kind = entities.kind
  and v.rfq_id = entities.rfq_id and v.id = entities.id and v.version = entities.version and v.shape = 'full');
-- Documents that a poll should have read again, but left to the next one.
alter table runs add column postponed integer not null default 0;
-- Requests per second that the limit allows the channel, and that its documents need; null if the run planned none.
alter table runs add column allowed_rate real;
alter table runs add column required_rate real;
-- How old documents become at the allowed rate.
alter table runs add column expected_age_minutes real;
`

const fingerprints = `
-- Of the bytes last received (src/marketplace/session.ts); null unless the document is valid and was read whole.
alter table entities add column fingerprint text;
-- Whether parsing those bytes found problems.
alter table entities add column has_problems integer not null default 1;
`

const reports = `
-- Reports that were written, with all that they were made from besides the history (src/core/report-record.ts).
create table reports (
  id integer primary key autoincrement,
  -- Path in the report folder.
  name text not null,
  channel text not null,
  -- Null for the overview of a channel.
  rfq_id text,
  format text not null,
  as_of text not null,
  made_at text not null,
  made_by text,
  program_version text not null,
  time_zone text not null,
  settings text not null,
  read_times text,
  sha256 text not null,
  bytes integer not null
);
create index reports_by_name on reports (name, id);
create index reports_by_channel on reports (channel, made_at);
`

// versions_observed had the key of every version a second time.
const shorterRows = `
drop index versions_observed;
create index versions_observed on versions (observed_at);
${SHORTER_ENTITIES}
`

const listedEntries = `
-- Of an RFQ: its newest entry in the list, if that is not the one it had when it was last read, and when that list was requested.
alter table entities add column listed_hash text;
alter table entities add column listed_at text;
alter table entities add column listed_body text;
`

const compactTables = `
${DROP_VIEWS}
${SHORTER_FINGERPRINTS}
${COMPACT_TABLES}
${documentViews('parsed_body')}
`

const listConflicts = `
-- When the list contradicted an RFQ that the same poll read (src/core/list-conflict.ts). Not a part of versions: a list that
-- contradicts an RFQ today must not change what is known of it as of yesterday.
create table list_conflicts (
  channel text not null,
  -- Of the RFQ.
  id text not null,
  since text not null,
  -- Null until a read of the RFQ ends it.
  ended_at text,
  -- What the list and the RFQ said, as JSON.
  said text not null,
  run_id integer not null,
  primary key (channel, id, since)
) strict;
create unique index list_conflicts_open on list_conflicts (channel, id) where ended_at is null;
drop view current_documents;
${currentDocumentsWith(validUnlessContradicted('c', 'd'))}
`

const problemMessages = `
-- Null if the poll that found it read the RFQ too.
alter table list_conflicts add column rfq_read_at text;
${CONFLICTS_BEFORE}
-- Messages of problems that changed since: what a problem said at a past moment.
create table earlier_problem_messages (
  channel text not null,
  kind text not null,
  entity_id text not null,
  path text not null,
  code text not null,
  message text not null,
  -- When another message replaced it.
  until text not null,
  primary key (channel, kind, entity_id, path, code, until)
) strict, without rowid;
`

const runEnds = `
-- "cause" is "error" without the RFQs that a closing round leaves to a person. "stop_code" says why it closed nothing more, and
-- "stop_clocks" what the comparison of the clocks found, if that is why.
alter table runs add column cause text;
alter table runs add column stop_code text;
alter table runs add column stop_clocks text;
-- 1 once a poll of RFQs has compared their list with what is stored, and recorded what it found.
alter table runs add column list_read integer not null default 0;
update runs set list_read = 1 where kind = 'rfqs' and outcome in ('complete', 'partial');
`

const orderOfReads = `
-- How often something was recorded on the channel: the number of the newest recording (src/store/read-order.ts).
alter table channels add column recordings integer not null default 0;
-- Of an RFQ: the recording of its newest read, or of a list that said something else since.
alter table documents add column recording integer;
-- The newest time that was stored on the channel when the run began, if the clock of its process was behind it; null if not.
alter table runs add column future_stored_at text;
`

const eventOrder = `
drop table deliveries;
drop table events;
-- What is advanced in the transaction that needs a number, so that numbers are in the order of commits and have no gaps:
-- "events" is the newest sequence, "routed events" that up to which deliveries were created, "pruned events" the newest pruned one.
create table counters (name text primary key, value integer not null) strict, without rowid;
insert into counters values ('events', 0), ('routed events', 0), ('pruned events', 0);
-- An event is written in the transaction that observed it.
create table events (
  sequence integer primary key,
  id text not null unique,
  kind text not null,
  at text not null,
  channel text,
  rfq_id text,
  offer_id text,
  -- Of the offer, or otherwise of the RFQ.
  version integer,
  -- The run that observed it; it may have been folded since. Its events are delivered when it has ended.
  run_id integer,
  data text not null
) strict;
create index events_of_channel on events (channel, kind);
create trigger events_stay before update on events
begin select raise(abort, 'an event never changes'); end;
-- One event for one target.
create table deliveries (
  id integer primary key autoincrement,
  event_id text not null references events (id),
  target text not null,
  state text not null default 'pending' check (state in ('pending', 'delivered', 'dead')),
  -- Deliveries that are sent together have the same one. Set at the first attempt.
  message_id text,
  attempts integer not null default 0,
  created_at text not null,
  attempted_at text,
  -- When the message was first tried; null until then, and again when it is to be sent once more.
  first_attempted_at text,
  -- Not sent before; null: at once.
  next_at text,
  settled_at text,
  status integer,
  error text,
  unique (event_id, target)
) strict;
create index deliveries_pending on deliveries (target, id) where state = 'pending';
create index deliveries_dead on deliveries (id) where state = 'dead';
update delivery_targets set since_sequence = 0;
-- What first polls found that did not end well yet.
create table first_polls (
  channel text primary key,
  rfqs integer not null,
  offers integer not null,
  late_offers integer not null,
  problems integer not null
) strict, without rowid;
-- When documents were recorded, in the order of commits.
create table recorded_moments (
  id integer primary key autoincrement,
  at text not null
) strict;
create index recorded_moments_at on recorded_moments (at);
`

export const migrations: readonly Migration[] = [
  { name: 'the beginning', sql: tables + guards + currentDocuments('') + documentViews('body') },
  { name: 'repeated decisions, approvals by name', sql: repeatsAndApprovals },
  { name: 'failed items of runs', sql: failedItems },
  { name: 'identity of the database', sql: identity },
  { name: 'maintenance, folded runs', sql: maintenance },
  { name: 'bodies as received', sql: receivedBodies },
  { name: 'observations by time', sql: observations },
  { name: 'events and deliveries', sql: outbox },
  { name: 'how long targets and messages have failed', sql: failingSince },
  { name: 'request planning', sql: requestPlanning },
  { name: 'fingerprints of documents', sql: fingerprints },
  { name: 'reports', sql: reports },
  { name: 'shorter rows of documents', sql: shorterRows },
  { name: 'list entries of RFQs that were not read since', sql: listedEntries },
  { name: 'compact tables of documents', sql: compactTables },
  { name: 'lists that contradict RFQs', sql: listConflicts },
  { name: 'earlier messages of problems', sql: problemMessages },
  { name: 'why runs ended', sql: runEnds },
  { name: 'the order of reads', sql: orderOfReads },
  { name: 'the order of events', sql: eventOrder },
]
