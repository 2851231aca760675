/**
 * A key of PostgreSQL has at most 2,704 bytes, and two identifiers may be longer. Documents with long ones are in a partition whose keys
 * are hashed; it is nearly always empty, and queries need not know. Other tables have hash indexes of identifiers, which have no limit.
 */
export const BY_KEY_LENGTH = 'partition by list ((octet_length(rfq_id) + octet_length(id) > 2000))'

/** One for short keys, and one for long ones. */
export const partitions = (table: string) => `
create table ${table}_short partition of ${table} for values in (false);
create table ${table}_long partition of ${table} for values in (true);`

/** An expression whose values are equal only if those of all columns are. */
export const exactly = (...columns: readonly string[]) =>
  [...columns.map((column) => `octet_length(${column})::text`), ...columns].join(" || ':' || ")

/**
 * Allows a long key once, and finds it.
 * @param more further expressions of the key
 */
export const longKey = (table: string, ...more: readonly string[]) => `
alter table ${table}_long add constraint ${table}_long_key
  exclude using hash ((${exactly('channel', 'kind', 'rfq_id', 'id', ...more)}) with =);
create index ${table}_long_of on ${table}_long using hash (id);
create index ${table}_long_of_rfq on ${table}_long using hash (rfq_id);`
