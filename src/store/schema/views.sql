-- What never changes, and the views of both engines. They call functions of postgres.sql, which schema.ts replaces for SQLite.

create trigger versions_immutable before update of channel, kind, rfq_id, id, version, content_hash, not_before, observed_at,
  run_id, shape, bodies, body on versions
  for each row execute function refuse_change('a version never changes');
create trigger versions_no_delete before delete on versions
  for each row execute function refuse_change('history is never removed');
create trigger documents_key_immutable before update of channel, kind, rfq_id, id on documents
  for each row execute function refuse_change('a document keeps its identity');
create trigger documents_no_delete before delete on documents
  for each row execute function refuse_change('history is never removed');
create trigger decisions_immutable before update of id, run_id, channel, rfq_id, rfq_number, due_date, time_zone, decided_at,
  decision, reason, outcome, http_status, message, version_before, version_after, evidence, previous_hash, hash, approved_by
  on close_decisions
  for each row execute function refuse_change('the decision log is append-only');
create trigger decisions_no_delete before delete on close_decisions
  for each row execute function refuse_change('the decision log is append-only');
create trigger events_immutable before update on events
  for each row execute function refuse_change('an event never changes');
create trigger awards_immutable before update on awards
  for each row execute function refuse_change('the log of awards is append-only');
create trigger awards_no_delete before delete on awards
  for each row execute function refuse_change('the log of awards is append-only');

create view close_decision_repeats as
select id as decision_id, decided_at as first_at, repeated_until as last_at, times from close_decisions where times > 1;

-- The newest version of each document, with its newest body.
create view current_documents as
select d.channel, d.kind, d.rfq_id, d.id, d.version, v.content_hash, v.shape,
  d.first_observed_at, d.last_observed_at, d.changed_at, d.missing_since,
  v.valid, d.contradicted, coalesce(d.latest_body, v.body) as body,
  v.document as document
from documents d
join versions v on v.channel = d.channel and v.kind = d.kind and v.rfq_id = d.rfq_id and v.id = d.id and v.version = d.version;

-- Views for users, whose columns are extracted from the document, so that they cannot contradict it.
create view listings as
select channel, id,
  document ->> 'projectName' as project_name,
  document ->> 'organizationName' as organization_name,
  document ->> 'country' as country,
  document ->> 'registry' as registry,
  document ->> 'registryId' as registry_id,
  document -> 'pricing' ->> 'currency' as currency,
  number_of(document -> 'pricing' -> 'minUnitPrice') as min_unit_price,
  number_of(document -> 'pricing' -> 'maxUnitPrice') as max_unit_price,
  number_of(document -> 'totalAvailableVolume' -> 'value') as total_available_volume,
  first_observed_at, last_observed_at, changed_at, missing_since, valid, body, version
from current_documents where kind = 'listing';

create view rfqs as
select channel, id,
  number_of(document -> 'number') as number,
  document ->> 'reference' as reference,
  document ->> 'title' as title,
  document ->> 'state' as state,
  document ->> 'responseDueDate' as response_due_date,
  document ->> 'fulfilmentDueDate' as fulfilment_due_date,
  number_of(document -> 'minVolume') as min_volume,
  number_of(document -> 'maxVolume') as max_volume,
  document -> 'pricing' ->> 'currency' as currency,
  number_of(document -> 'pricing' -> 'minUnitPrice') as min_unit_price,
  number_of(document -> 'pricing' -> 'maxUnitPrice') as max_unit_price,
  document ->> 'createdAt' as created_at,
  document ->> 'updatedAt' as updated_at,
  document ->> 'openedAt' as opened_at,
  document ->> 'closedAt' as closed_at,
  length_of(document -> 'responses') as offer_count,
  first_observed_at, last_observed_at, changed_at, missing_since, valid, contradicted, body, version, shape
from current_documents where kind = 'rfq';

create view offers as
select channel, rfq_id, id,
  document ->> 'listingId' as listing_id,
  document ->> 'projectDeveloperName' as project_developer_name,
  document ->> 'projectName' as project_name,
  document ->> 'status' as status,
  document ->> 'submittedAt' as submitted_at,
  coalesce(document -> 'offer' ->> 'contractType', document ->> 'contractType') as contract_type,
  coalesce(document -> 'offer' ->> 'currency', document ->> 'currency') as currency,
  coalesce(number_of(document -> 'offer' -> 'totalVolume'), number_of(document -> 'totalVolume')) as total_volume,
  coalesce(number_of(document -> 'offer' -> 'totalPrice'), number_of(document -> 'totalPrice')) as total_price,
  coalesce(document -> 'offer' ->> 'expiryDate', document ->> 'expiryDate') as expiry_date,
  first_observed_at, last_observed_at, changed_at, missing_since, valid, body, version, shape
from current_documents where kind = 'response';

create view offer_vintages as
select o.channel, o.rfq_id, o.id as response_id, d.key + 1 as delivery, v.key + 1 as vintage,
  d.value ->> 'fulfilmentDueDate' as fulfilment_due_date,
  d.value ->> 'fulfilmentMethod' as fulfilment_method,
  v.value ->> 'reportingPeriodStart' as reporting_period_start,
  v.value ->> 'reportingPeriodEnd' as reporting_period_end,
  v.value ->> 'name' as name,
  number_of(v.value -> 'volume') as volume,
  number_of(v.value -> 'unitPrice') as unit_price,
  v.value ->> 'mitigationTypes' as mitigation_types
from current_documents o
join objects_of(o.document -> 'offer' -> 'scheduledDeliveries') d on true
join objects_of(d.value -> 'vintages') v on true
where o.kind = 'response';

create view offer_prepayments as
select o.channel, o.rfq_id, o.id as response_id, p.key + 1 as prepayment,
  number_of(p.value -> 'amount') as amount,
  p.value ->> 'paymentDueDate' as payment_due_date
from current_documents o
join objects_of(o.document -> 'offer' -> 'prePayments') p on true
where o.kind = 'response';
