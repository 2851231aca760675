/**
 * SQL of both engines: where to begin reading what was recorded after the moment @after, so that who saw something of that moment
 * misses nothing. The time of a recording is known before its commit: one that was committed later may have an earlier or the same
 * time. So it is the moment itself, or just before what was committed after the first recording of it: without its last character,
 * a timestamp is less than itself, and greater than all before it.
 */
export const BEGIN_OF_UNSEEN = `(
  select case when min(at) <= @after then substr(min(at), 1, 23) else @after end from recorded_moments
  where id > (select min(id) from recorded_moments where at >= @after))`
