import { randomBytes } from 'node:crypto'
import type { Connection } from './connection.js'
import type { Closings } from './contract.js'

/** Approval plans: the RFQs of a closing round that was held because of its size (table `held_rounds`). */
export function createApprovalPlans(connection: Connection): Pick<Closings, 'createApprovalPlan' | 'findApprovalPlan'> {
  const sql = (text: string) => connection.statement(text)
  return {
    createApprovalPlan: ({ channel, rfqIds, now, expiresAt }) =>
      connection.write(() => {
        const ids = JSON.stringify([...rfqIds].sort())
        const existing = sql('select plan_id from held_rounds where channel = ? and rfq_ids = ? and expires_at > ?')
          .pluck()
          .get(channel, ids, now.toISOString()) as string | undefined
        if (existing !== undefined) return existing
        const planId = `plan-${randomBytes(5).toString('hex')}`
        sql('insert into held_rounds values (?, ?, ?, ?, ?)').run(
          planId,
          channel,
          ids,
          now.toISOString(),
          expiresAt.toISOString(),
        )
        return planId
      }),

    async findApprovalPlan(planId, now) {
      const row = connection.read((db) =>
        db
          .prepare('select channel, rfq_ids from held_rounds where plan_id = ? and expires_at > ?')
          .get(planId, now.toISOString()),
      ) as { channel: string; rfq_ids: string } | undefined
      return row ? { channel: row.channel, rfqIds: JSON.parse(row.rfq_ids) as string[] } : null
    },
  }
}
