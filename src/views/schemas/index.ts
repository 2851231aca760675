/*
 * The bodies of responses. The OpenAPI document is made from these schemas, and the tests validate every response against
 * them. A member is only added, never renamed or removed.
 */
export { awardRecordSchema, awardStateSchema } from '../awards/award-schema.js'
export { offerViewSchema } from '../offer/offer-view.js'
export { awardSchema, decisionSchema } from '../rfq/decision-schema.js'
export { rfqViewSchema } from '../rfq/rfq-view.js'
export { countedListOf, listOf } from './common.js'
export * from './documents.js'
export * from './records.js'
