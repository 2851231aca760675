import { toStoredText } from '../documents/stored-text.js'
import type { Transaction } from '../sql/sql-database.js'
import type { RfqRow } from './recommendation-contract.js'

/** The columns of a row, and the members with their values. */
const COLUMNS = {
  ...{ channel: 'channel', rfq_id: 'rfqId', version: 'version', valid: 'valid', offers: 'presentOffers' },
  ...{ facts: 'facts', figures: 'figures', award: 'award', search: 'search', number: 'number', title: 'title' },
  ...{ offer_count: 'offers', recommended: 'recommended', wanted: 'wanted', coverage: 'coverage' },
  ...{ best_price: 'bestPricePerTonne', attention: 'attention', computed_at: 'computedAt' },
  ...{ award_status: 'awardStatus', stakes: 'stakes', claims: 'claims', price: 'price', total: 'total' },
} satisfies Record<string, keyof RfqRow>
const INSERT = `insert into rfq_rows (${Object.keys(COLUMNS).join(', ')}) values (@${Object.values(COLUMNS).join(', @')})`

/** Replaces the row of an RFQ. */
export async function recordRow(tx: Transaction, row: RfqRow): Promise<void> {
  const key = { channel: row.channel, rfqId: toStoredText(row.rfqId) }
  await tx.run('delete from rfq_rows where channel = @channel and rfq_id = @rfqId', key)
  const texts = { search: toStoredText(row.search), title: storedOrNull(row.title) }
  const recommended = storedOrNull(row.recommended)
  await tx.run(INSERT, { ...row, rfqId: key.rfqId, valid: row.valid ? 1 : 0, recommended, ...texts })
}

const storedOrNull = (text: string | null) => (text === null ? null : toStoredText(text))
