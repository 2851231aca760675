/*
 * The bodies of responses. The OpenAPI document is made from these schemas, and the tests validate every response against
 * them. A member is only added, never renamed or removed.
 */
export { awardRecordSchema, awardStateSchema } from '../../../views/award-schema.js'
export { awardSchema, decisionSchema } from '../../../views/decision-schema.js'
export { offerViewSchema } from '../../../views/offer-view.js'
export { rfqViewSchema } from '../../../views/rfq-view.js'
export { countedListOf, listOf } from './common.js'
export * from './documents.js'
export * from './records.js'
