-- What SQLite adds to tables.sql.

-- RFQs are found by number and reference.
create index versions_number on versions (json_extract(body, '$.number')) where kind = 'rfq';
create index versions_reference on versions (lower(json_extract(body, '$.reference')))
  where kind = 'rfq';
