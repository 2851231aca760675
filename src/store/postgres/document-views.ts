import { validUnlessContradicted } from '../list-conflicts.js'

const text = (name: string, path = toCamel(name)) => `document #>> '{${path}}' as ${name}`
const either = (name: string, path: string) =>
  `coalesce(document #>> '{offer,${path}}', document #>> '{${path}}') as ${name}`

/** Null unless it is a number: a column has one type. */
const numberAt = (json: string, path: string) =>
  `case when jsonb_typeof(${json} #> '{${path}}') = 'number' then (${json} #>> '{${path}}')::numeric end`
const number = (name: string, path = toCamel(name)) => `${numberAt('document', path)} as ${name}`
const eitherNumber = (name: string, path: string) =>
  `coalesce(${numberAt('document', `offer,${path}`)}, ${numberAt('document', path)}) as ${name}`

function toCamel(name: string): string {
  return name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
}

/** The objects in an array, numbered from 1; none if it is no array. */
const objectsIn = (json: string, path: string, name: string) => `
cross join lateral jsonb_array_elements(
  case when jsonb_typeof(${json} #> '{${path}}') = 'array' then ${json} #> '{${path}}' else '[]' end
) with ordinality ${name} (value, number)`
const isObject = (name: string) => `jsonb_typeof(${name}.value) = 'object'`

const OBSERVED = 'first_observed_at, last_observed_at, changed_at, missing_since, valid, body, version'

/** The newest version of each document, with its newest body. @param valid SQL */
const currentDocumentsWith = (valid: string) => `
create or replace view current_documents as
select e.channel, e.kind, nullif(e.rfq_id, '') as rfq_id, e.id, e.version, v.content_hash, v.shape,
  e.first_observed_at, e.last_observed_at, e.changed_at, e.missing_since, ${valid}, coalesce(e.latest_body, v.body) as body,
  case when e.latest_body is null then coalesce(v.parsed_body, v.body)
    else coalesce(e.latest_parsed_body, e.latest_body) end as parsed_body,
  v.document
from entities e
join versions v on v.channel = e.channel and v.kind = e.kind and v.rfq_id = e.rfq_id and v.id = e.id
  and v.version = e.version;
`

/** An RFQ that its list entry contradicts is not valid. */
export const currentDocuments = currentDocumentsWith(validUnlessContradicted('e'))

/** Views whose columns are extracted from the document, so that they cannot contradict it. */
export const documentViews = `
${currentDocumentsWith('v.valid')}
create view listings as
select channel, id, ${[
  ...['project_name', 'organization_name', 'country', 'registry', 'registry_id'].map((name) => text(name)),
  text('currency', 'pricing,currency'),
  number('min_unit_price', 'pricing,minUnitPrice'),
  number('max_unit_price', 'pricing,maxUnitPrice'),
].join(', ')}, ${OBSERVED}
from current_documents where kind = 'listing';

create view rfqs as
select channel, id, ${[
  number('number'),
  ...['reference', 'title', 'state', 'response_due_date', 'fulfilment_due_date'].map((name) => text(name)),
  number('min_volume'),
  number('max_volume'),
  text('currency', 'pricing,currency'),
  number('min_unit_price', 'pricing,minUnitPrice'),
  number('max_unit_price', 'pricing,maxUnitPrice'),
  ...['created_at', 'updated_at', 'opened_at', 'closed_at'].map((name) => text(name)),
  `case when jsonb_typeof(document #> '{responses}') = 'array' then jsonb_array_length(document #> '{responses}')
    else 0 end as offer_count`,
].join(', ')}, ${OBSERVED}, shape
from current_documents where kind = 'rfq';

create view offers as
select channel, rfq_id, id, ${[
  ...['listing_id', 'project_developer_name', 'project_name', 'status', 'submitted_at'].map((name) => text(name)),
  either('contract_type', 'contractType'),
  either('currency', 'currency'),
  eitherNumber('total_volume', 'totalVolume'),
  eitherNumber('total_price', 'totalPrice'),
  either('expiry_date', 'expiryDate'),
].join(', ')}, ${OBSERVED}, shape
from current_documents where kind = 'response';

create view offer_vintages as
select o.channel, o.rfq_id, o.id as response_id, d.number as delivery, v.number as vintage,
  d.value ->> 'fulfilmentDueDate' as fulfilment_due_date,
  d.value ->> 'fulfilmentMethod' as fulfilment_method,
  v.value ->> 'reportingPeriodStart' as reporting_period_start,
  v.value ->> 'reportingPeriodEnd' as reporting_period_end,
  v.value ->> 'name' as name,
  ${numberAt('v.value', 'volume')} as volume,
  ${numberAt('v.value', 'unitPrice')} as unit_price,
  v.value ->> 'mitigationTypes' as mitigation_types
from current_documents o
${objectsIn('o.document', 'offer,scheduledDeliveries', 'd')}
${objectsIn('d.value', 'vintages', 'v')}
where o.kind = 'response' and ${isObject('d')} and ${isObject('v')};

create view offer_prepayments as
select o.channel, o.rfq_id, o.id as response_id, p.number as prepayment, ${numberAt('p.value', 'amount')} as amount,
  p.value ->> 'paymentDueDate' as payment_due_date
from current_documents o
${objectsIn('o.document', 'offer,prePayments', 'p')}
where o.kind = 'response' and ${isObject('p')};
`
