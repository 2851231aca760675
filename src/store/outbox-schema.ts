/** Events and their deliveries (docs/NOTIFICATIONS.md), for migrations.ts. */
export const outbox = `
-- An event is written in the transaction that observed it.
create table events (
  sequence integer primary key autoincrement,
  id text not null unique,
  kind text not null,
  at text not null,
  channel text,
  rfq_id text,
  offer_id text,
  -- The run that observed it; it may have been folded since. Its events are delivered when it has ended.
  run_id integer,
  count integer not null default 1,
  summary integer not null default 0 check (summary in (0, 1)),
  data text not null,
  -- When its deliveries were created; null until then.
  routed_at text
) strict;
create index events_unrouted on events (sequence) where routed_at is null;
create index events_of_run on events (run_id, kind) where run_id is not null;
create index events_of_channel on events (channel, kind);

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
  -- Not sent before; null: at once.
  next_at text,
  settled_at text,
  status integer,
  error text,
  unique (event_id, target)
) strict;
create index deliveries_pending on deliveries (target, id) where state = 'pending';
create index deliveries_dead on deliveries (id) where state = 'dead';

-- A target that the service was started with. One process at a time sends to it.
create table delivery_targets (
  target text primary key,
  -- Only later events are delivered.
  since_sequence integer not null,
  since text not null,
  -- Attempts in a row that failed because of the target, and when the next may be made.
  failures integer not null default 0,
  retry_at text,
  attempted_at text,
  succeeded_at text,
  error text,
  holder text,
  lease_until text
) strict, without rowid;
`

export const failingSince = `
-- When the first of the attempts in a row that failed because of the target was made; null while it works.
alter table delivery_targets add column failing_since text;
-- When the message was first tried; null until then, and again when it is to be sent once more.
alter table deliveries add column first_attempted_at text;
`
