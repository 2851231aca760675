-- What SQLite adds to tables.sql.

-- RFQs are found by number and reference.
create index versions_number on versions (json_extract(body, '$.number')) where kind = 'rfq';
create index versions_reference on versions (lower(json_extract(body, '$.reference')))
  where kind = 'rfq';
-- The list of changes: what can change an award, then what cannot.
create index events_by_weight on events ((
  case when kind in ('award.recorded', 'award.withdrawn', 'recommendation.changed') then 1 else 0 end), at, sequence, kind);

-- The newest version of each document, with its newest body.
create view current_documents as
select d.channel, d.kind, d.rfq_id, d.id, d.version, v.content_hash, v.shape,
  d.first_observed_at, d.last_observed_at, d.changed_at, d.missing_since,
  v.valid, d.contradicted, coalesce(d.latest_body, v.body) as body,
  coalesce(d.latest_body, v.body) as document
from documents d
join versions v on v.channel = d.channel and v.kind = d.kind and v.rfq_id = d.rfq_id and v.id = d.id and v.version = d.version;
