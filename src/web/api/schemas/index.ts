/*
 * The bodies of responses. The OpenAPI document is made from these schemas, and the tests validate every response against
 * them. A member is only added, never renamed or removed.
 */
export { countedListOf, listOf } from './common.js'
export * from './documents.js'
export * from './records.js'
