-- What SQLite adds to tables.sql.

-- RFQs are found by number and reference.
create index versions_number on versions (json_extract(body, '$.number')) where kind = 'rfq';
create index versions_reference on versions (lower(json_extract(body, '$.reference')))
  where kind = 'rfq';
-- The list of changes: what can change an award, then what cannot.
create index events_by_weight on events ((
  case when kind in ('award.recorded', 'award.withdrawn', 'recommendation.changed') then 1 else 0 end), at, sequence, kind);

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

create view close_decision_repeats as
select id as decision_id, decided_at as first_at, repeated_until as last_at, times from close_decisions where times > 1;

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
