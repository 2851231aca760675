/**
 * SQL of both engines that converts what was stored: 128 bits of the hashes of summaries (SUMMARY_HASH_LENGTH), and `requested_at`
 * only of documents that were requested in vain since they were last read.
 */
export const SHORTER_ENTITIES = `
update entities set summary_hash = substr(summary_hash, 1, 32), read_summary_hash = substr(read_summary_hash, 1, 32),
  requested_at = nullif(requested_at, full_read_at)
where summary_hash is not null or read_summary_hash is not null or requested_at is not null;
`

/** SQL of both engines: of the 44 characters of a hash of received bytes, the first 22, 132 bits (src/marketplace/session.ts). */
export const SHORTER_FINGERPRINTS = `
update entities set fingerprint = substr(fingerprint, 1, length(fingerprint) - 22) where fingerprint like '% %=';
`
