/**
 * The tables of documents and versions of SQLite (docs/DATABASE.md). They hold no text twice that every document has: its key, and when
 * it was observed. The views `entities` and `versions` have the columns of the tables of the same name that PostgreSQL has, and can be
 * written like them; what is written for every document goes to the tables.
 */

const tables = `
-- Documents of one kind: the listings of a channel, its RFQs, or the responses to one RFQ.
create table collections (
  number integer primary key,
  channel text not null,
  kind text not null check (kind in ('listing', 'rfq', 'response')),
  -- Empty for listings and RFQs.
  rfq_id text not null,
  unique (channel, kind, rfq_id)
) strict;

create table documents (
  number integer primary key,
  collection integer not null references collections (number),
  id text not null,
  version integer not null,
  -- Milliseconds since 1970.
  first_observed_ms integer not null,
  -- When its newest version was observed; null if it has one only.
  changed_ms integer,
  last_observed_ms integer not null,
  last_read_ms integer not null,
  full_read_ms integer,
  requested_at text,
  missing_since text,
  latest_body text,
  latest_parsed_body text,
  list_hash text,
  listed_hash text,
  listed_at text,
  listed_body text,
  summary_hash blob,
  -- Empty if it is summary_hash.
  read_summary_hash blob,
  etag text,
  last_modified text,
  fingerprint text,
  has_problems integer not null default 1,
  unique (collection, id)
) strict;

-- The moments at which a run recorded versions.
create table observations (
  number integer primary key,
  run_id integer not null references runs (id),
  observed_at text not null,
  unique (run_id, observed_at)
) strict;
create index observations_by_time on observations (observed_at);

create table document_versions (
  -- In the order in which they were recorded.
  number integer primary key,
  document integer not null references documents (number),
  version integer not null,
  content_hash blob not null,
  not_before text,
  observation integer not null references observations (number),
  superseded_at text,
  valid integer not null check (valid in (0, 1)),
  shape text not null check (shape in ('full', 'list', 'summary')),
  body text not null,
  body_as_received integer not null default 0 check (body_as_received in (0, 1)),
  -- Null if parsing the body loses nothing.
  parsed_body text,
  unique (document, version)
) strict;
create index document_versions_of_observation on document_versions (observation);
`

/** SQL: milliseconds as a timestamp. */
const timestamp = (ms: string) => `strftime('%Y-%m-%dT%H:%M:%fZ', ${ms} / 1000.0, 'unixepoch')`
/** SQL: a timestamp as milliseconds. */
const milliseconds = (at: string) => `cast(round(unixepoch(${at}, 'subsec') * 1000) as integer)`
const hex = (bytes: string) => `case when ${bytes} is not null then lower(hex(${bytes})) end`
const versionColumns = `c.channel, c.kind, c.rfq_id, d.id, v.version, lower(hex(v.content_hash)) as content_hash, v.not_before,
  o.observed_at, v.superseded_at, o.run_id, v.valid, v.shape, v.body, v.body_as_received, v.parsed_body,
  v.document as document_number`

/** The view `versions`, read in the order of its key: without statistics, SQLite would sort all versions for each page of them. */
export const VERSIONS_BY_KEY = `select ${versionColumns}
from collections c
cross join documents d on d.collection = c.number
cross join document_versions v on v.document = d.number
cross join observations o on o.number = v.observation`

const views = `
create view entities as
select c.channel, c.kind, c.rfq_id, d.id, d.version, ${timestamp('d.first_observed_ms')} as first_observed_at,
  ${timestamp('d.last_observed_ms')} as last_observed_at, ${timestamp('d.last_read_ms')} as last_read_at,
  ${timestamp('coalesce(d.changed_ms, d.first_observed_ms)')} as changed_at, d.missing_since, d.list_hash, d.latest_body, d.latest_parsed_body,
  ${timestamp('d.full_read_ms')} as full_read_at, d.requested_at, ${hex('d.summary_hash')} as summary_hash,
  case when d.read_summary_hash = x'' then ${hex('d.summary_hash')} else ${hex('d.read_summary_hash')} end as read_summary_hash,
  d.etag, d.last_modified, d.fingerprint, d.has_problems, d.listed_hash, d.listed_at, d.listed_body,
  d.number as document_number
from documents d join collections c on c.number = d.collection;

create view versions as
select ${versionColumns}
from document_versions v
join observations o on o.number = v.observation
join documents d on d.number = v.document
join collections c on c.number = d.collection;
`

/** The number of the document of a row that is written. */
const NUMBER = `(select d.number from collections c join documents d on d.collection = c.number
    where c.channel = new.channel and c.kind = new.kind and c.rfq_id = new.rfq_id and d.id = new.id)`

// biome-ignore format: a list of names
const same = [
  'version', 'requested_at', 'missing_since', 'latest_body', 'latest_parsed_body', 'list_hash', 'listed_hash', 'listed_at', 'listed_body',
  'etag', 'last_modified', 'fingerprint',
]
/** The columns of `documents`, and their values in a row `new` that is written to the view `entities`. */
const written: Record<string, string> = {
  ...Object.fromEntries(same.map((column) => [column, `new.${column}`])),
  has_problems: 'coalesce(new.has_problems, 1)',
  first_observed_ms: milliseconds('new.first_observed_at'),
  changed_ms: milliseconds('nullif(new.changed_at, new.first_observed_at)'),
  last_observed_ms: milliseconds('new.last_observed_at'),
  last_read_ms: milliseconds('new.last_read_at'),
  full_read_ms: milliseconds('new.full_read_at'),
  summary_hash: 'unhex(new.summary_hash)',
  read_summary_hash: `case when new.read_summary_hash = new.summary_hash then x'' else unhex(new.read_summary_hash) end`,
}

const writing = `
create trigger entities_insert instead of insert on entities begin
  insert into collections (channel, kind, rfq_id) values (new.channel, new.kind, coalesce(new.rfq_id, '')) on conflict do nothing;
  insert into documents (collection, id, ${Object.keys(written).join(', ')})
  select number, new.id, ${Object.values(written).join(', ')} from collections
  where channel = new.channel and kind = new.kind and rfq_id = coalesce(new.rfq_id, '');
end;
create trigger entities_update instead of update on entities begin
  update documents set ${Object.entries(written)
    .map(([column, value]) => `${column} = ${value}`)
    .join(', ')}
  where number = old.document_number;
end;
create trigger versions_insert instead of insert on versions begin
  insert into observations (run_id, observed_at) select new.run_id, new.observed_at
  where not exists (select 1 from observations where run_id = new.run_id and observed_at = new.observed_at);
  insert into document_versions (document, version, content_hash, not_before, observation, superseded_at, valid, shape, body,
    body_as_received, parsed_body)
  values (${NUMBER}, new.version, unhex(new.content_hash), new.not_before,
    (select number from observations where run_id = new.run_id and observed_at = new.observed_at), new.superseded_at, new.valid,
    new.shape, new.body, coalesce(new.body_as_received, 0), new.parsed_body);
end;
create trigger versions_update instead of update of valid, superseded_at on versions begin
  update document_versions set valid = new.valid, superseded_at = new.superseded_at
  where document = old.document_number and version = old.version;
end;
`

/** Versions are immutable, except "valid", which revalidate.ts updates after the document schemas changed, and "superseded_at". */
const guards = `
create trigger document_versions_stay before update of number, document, version, content_hash, not_before, observation, shape, body,
  body_as_received, parsed_body on document_versions
begin select raise(abort, 'a version never changes'); end;
create trigger document_versions_last before delete on document_versions
begin select raise(abort, 'history is never removed'); end;
create trigger observations_stay before update on observations
begin select raise(abort, 'a version never changes'); end;
create trigger observations_last before delete on observations
begin select raise(abort, 'history is never removed'); end;
-- "insert or replace" fires no triggers of deletions.
create trigger document_versions_once before insert on document_versions
when exists (select 1 from document_versions where number = new.number or (document = new.document and version = new.version))
begin select raise(abort, 'a version never changes'); end;
create trigger observations_once before insert on observations
when exists (select 1 from observations where number = new.number or (run_id = new.run_id and observed_at = new.observed_at))
begin select raise(abort, 'a version never changes'); end;
create trigger documents_stay before update of number, collection, id on documents
begin select raise(abort, 'a document keeps its identity'); end;
create trigger documents_last before delete on documents
begin select raise(abort, 'history is never removed'); end;
create trigger collections_stay before update on collections
begin select raise(abort, 'a document keeps its identity'); end;
create trigger collections_last before delete on collections
begin select raise(abort, 'history is never removed'); end;
create trigger versions_stay instead of update of channel, kind, rfq_id, id, version, content_hash, not_before, observed_at,
  run_id, shape, body, body_as_received, parsed_body on versions
begin select raise(abort, 'a version never changes'); end;
create trigger versions_last instead of delete on versions
begin select raise(abort, 'history is never removed'); end;
`

const entitiesBefore = 'entities_before'
const versionsBefore = 'versions_before'

const copy = `
insert into collections (channel, kind, rfq_id) select distinct channel, kind, rfq_id from ${entitiesBefore} order by 1, 2, 3;
insert into documents (collection, id, ${Object.keys(written).join(', ')})
select c.number, new.id, ${Object.values(written).join(', ')}
from ${entitiesBefore} new join collections c on c.channel = new.channel and c.kind = new.kind and c.rfq_id = new.rfq_id
order by new.channel, new.kind, new.rfq_id, new.id;
insert into observations (run_id, observed_at) select distinct run_id, observed_at from ${versionsBefore} order by 2, 1;
insert into document_versions (number, document, version, content_hash, not_before, observation, superseded_at, valid, shape, body,
  body_as_received, parsed_body)
select new.rowid, ${NUMBER}, new.version, unhex(new.content_hash), new.not_before, o.number, new.superseded_at, new.valid,
  new.shape, new.body, new.body_as_received, new.parsed_body
from ${versionsBefore} new join observations o on o.run_id = new.run_id and o.observed_at = new.observed_at
order by new.rowid;
`

/** The newest version of each document, with its newest body. @param valid SQL */
export const currentDocumentsWith = (valid: string): string => `
create view current_documents as
select c.channel, c.kind, nullif(c.rfq_id, '') as rfq_id, d.id, d.version, lower(hex(v.content_hash)) as content_hash, v.shape,
  ${timestamp('d.first_observed_ms')} as first_observed_at, ${timestamp('d.last_observed_ms')} as last_observed_at, o.observed_at as changed_at,
  d.missing_since, ${valid}, coalesce(d.latest_body, v.body) as body,
  case when d.latest_body is null then coalesce(v.parsed_body, v.body)
    else coalesce(d.latest_parsed_body, d.latest_body) end as parsed_body
from documents d
join collections c on c.number = d.collection
join document_versions v on v.document = d.number and v.version = d.version
join observations o on o.number = v.observation;
`

/** What replaces the tables `entities` and `versions`, of which no view may remain. */
export const COMPACT_TABLES = `
drop trigger versions_stay;
drop trigger versions_last;
drop trigger versions_text_stays;
alter table entities rename to ${entitiesBefore};
alter table versions rename to ${versionsBefore};
${tables}
${copy}
drop table ${entitiesBefore};
drop table ${versionsBefore};
${views}
${writing}
${guards}
${currentDocumentsWith('v.valid')}
`
