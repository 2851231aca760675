/** Triggers that keep what was recorded as it is, for migrations.ts. */
export const guards = `
-- Versions are immutable, except "valid" and "superseded_at".
create function refuse_change() returns trigger language plpgsql as $$
begin raise exception '%', tg_argv[0] using errcode = 'restrict_violation'; end $$;
create trigger versions_stay before update of channel, kind, rfq_id, id, version, content_hash, not_before, observed_at,
  run_id, shape, body, body_as_received, parsed_body, document on versions
  for each row execute function refuse_change('a version never changes');
create trigger versions_last before delete on versions
  for each row execute function refuse_change('history is never removed');
create trigger decisions_stay before update on close_decisions
  for each row execute function refuse_change('the decision log is append-only');
create trigger decisions_last before delete on close_decisions
  for each row execute function refuse_change('the decision log is append-only');

-- Ids of decisions have no gaps, also if a transaction is rolled back.
insert into counters values ('close_decisions', 0);
create function number_decision() returns trigger language plpgsql as $$
begin
  if new.id is null then
    update counters set value = value + 1 where name = 'close_decisions' returning value into new.id;
  end if;
  return new;
end $$;
create trigger decisions_number before insert on close_decisions for each row execute function number_decision();
`
