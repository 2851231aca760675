import { TABLES } from './tables.js'

/** Versions are immutable, except two times, and "valid", which revalidate.ts updates when the document schemas change. */
const GUARDS = `
create trigger versions_immutable before update of channel, kind, rfq_id, id, version, content_hash, not_before, observed_at,
  run_id, shape, body, body_as_received, parsed_body on versions
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
`

const IDENTITY = `
-- database_id is a random UUID (version 4), which copies and backups keep.
insert into meta
select 'database_id', lower(substr(hex, 1, 8) || '-' || substr(hex, 9, 4) || '-4' || substr(hex, 14, 3) || '-'
  || substr('89ab', (random() & 3) + 1, 1) || substr(hex, 18, 3) || '-' || substr(hex, 21, 12))
from (select hex(randomblob(16)) as hex);
`

/** A member of the document of a version, as the indexes have it. @param table its alias in a query */
export const rfqMember = (name: 'number' | 'reference', table?: string): string => {
  const of = table === undefined ? '' : `${table}.`
  return `json_extract(coalesce(${of}parsed_body, ${of}body), '$.${name}')`
}

/** RFQs are found by number and reference. */
const NAME_INDEXES = `
create index versions_number on versions (${rfqMember('number')}) where kind = 'rfq';
create index versions_reference on versions (${rfqMember('reference')} collate nocase) where kind = 'rfq';
`

/** The newest version of each document, with its newest body. */
const CURRENT_DOCUMENTS = `
create view current_documents as
select d.channel, d.kind, d.rfq_id, d.id, d.version, v.content_hash, v.shape,
  d.first_observed_at, d.last_observed_at, d.changed_at, d.missing_since,
  v.valid, d.contradicted, coalesce(d.latest_body, v.body) as body,
  case when d.latest_body is null then coalesce(v.parsed_body, v.body)
    else coalesce(d.latest_parsed_body, d.latest_body) end as parsed_body
from documents d
join versions v on v.channel = d.channel and v.kind = d.kind and v.rfq_id = d.rfq_id and v.id = d.id and v.version = d.version;
`

const array = (json: string, path: string) =>
  `case when json_type(${json}, '${path}') = 'array' then json_extract(${json}, '${path}') else '[]' end`

const columns = (fields: Record<string, string>) =>
  Object.entries(fields)
    .map(([name, path]) => `json_extract(parsed_body, '${path}') as ${name}`)
    .join(',\n  ')
const either = (name: string, first: string, second: string) =>
  `coalesce(json_extract(parsed_body, '${first}'), json_extract(parsed_body, '${second}')) as ${name}`
/** Views whose columns are extracted from the body, so that they cannot contradict it. */
const DOCUMENT_VIEWS = `
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
    total_available_volume: '$.totalAvailableVolume.value',
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
  coalesce(json_array_length(parsed_body, '$.responses'), 0) as offer_count,
  first_observed_at, last_observed_at, changed_at, missing_since, valid, contradicted, body, version, shape
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
join json_each(${array('o.parsed_body', '$.offer.scheduledDeliveries')}) d on d.type = 'object'
join json_each(${array('d.value', '$.vintages')}) v on v.type = 'object'
where o.kind = 'response';

create view offer_prepayments as
select o.channel, o.rfq_id, o.id as response_id, p.key + 1 as prepayment,
  json_extract(p.value, '$.amount') as amount,
  json_extract(p.value, '$.paymentDueDate') as payment_due_date
from current_documents o
join json_each(${array('o.parsed_body', '$.offer.prePayments')}) p on p.type = 'object'
where o.kind = 'response';
`

/** The schema of SQLite. */
export const SQLITE_SCHEMA = TABLES + NAME_INDEXES + GUARDS + IDENTITY + CURRENT_DOCUMENTS + DOCUMENT_VIEWS
