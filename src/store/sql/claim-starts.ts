import { LATE_MS } from '../../core/requests/request-ledger.js'

/** When requests to a marketplace may start, in milliseconds of a clock: in SQLite in a file of its own. */
export const CREATE_LIMITS = `
create table if not exists request_limits (
  origin text primary key,
  next_at double precision not null,
  paused_until double precision not null,
  claimed_at double precision not null
)`

/**
 * A statement that claims request starts. If the clock was set back, everything moves back with it, as if no time had passed.
 * @param now the time in milliseconds, as SQL; read when the row is locked, so that claims see times in their order
 * @param greatest the function with the greatest of its arguments
 */
export const claimStatement = (now: string, greatest: 'greatest' | 'max'): string => `
insert into request_limits as ledger (origin, next_at, paused_until, claimed_at)
select @origin, now + @cost, now + @pausedFor, now from (select ${now} as now) clock where true
on conflict (origin) do update set (next_at, paused_until, claimed_at) = (
  select case when paused > now then due else ${greatest}(now - ${LATE_MS}, due + @lead) + @cost end, ${greatest}(now, paused), now
  from (
    select now, ledger.next_at - back as due, ${greatest}(ledger.paused_until - back, now + @pausedFor) as paused
    from (select now, ${greatest}(0, ledger.claimed_at - now) as back from (select ${now} as now) clock) behind
  ) moved
)
returning ${greatest}(0, next_at - claimed_at - @cost) as "startsIn", paused_until - claimed_at as "pausedFor"`
