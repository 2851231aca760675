import { randomBytes } from 'node:crypto'
import type { Connection } from './connection.js'
import type { Closings } from './contract.js'

interface PlanRow {
  plan_id: string
  channel: string
  rfq_ids: string
  created_at: string
  expires_at: string
}

type ApprovalPlans = Pick<
  Closings,
  'createApprovalPlan' | 'findApprovalPlan' | 'approvePlan' | 'supersedePlans' | 'heldPlans'
>

/** Approval plans: the RFQs of a closing round that was held because of its size (table `held_rounds`). */
export function createApprovalPlans(connection: Connection): ApprovalPlans {
  const sql = (text: string) => connection.statement(text)
  const supersede = (channel: string, now: Date, except: string) =>
    sql(
      `update held_rounds set superseded_at = ?
      where channel = ? and plan_id <> ? and superseded_at is null and approved_at is null`,
    ).run(now.toISOString(), channel, except)

  return {
    createApprovalPlan: ({ channel, rfqIds, now, expiresAt }) =>
      connection.write(() => {
        const ids = JSON.stringify([...rfqIds].sort())
        const known = sql('select plan_id from held_rounds where channel = ? and rfq_ids = ? order by created_at desc')
          .pluck()
          .get(channel, ids) as string | undefined
        const planId = known ?? `plan-${randomBytes(5).toString('hex')}`
        sql(
          `insert into held_rounds (plan_id, channel, rfq_ids, created_at, expires_at) values (?, ?, ?, ?, ?)
          on conflict (plan_id) do update set expires_at = excluded.expires_at,
            approved_at = null, approved_by = null, superseded_at = null`,
        ).run(planId, channel, ids, now.toISOString(), expiresAt.toISOString())
        supersede(channel, now, planId)
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

    approvePlan: (planId, { by, now }) =>
      connection.write(() => {
        sql('update held_rounds set approved_at = ?, approved_by = ? where plan_id = ?').run(
          now.toISOString(),
          by,
          planId,
        )
      }),

    supersedePlans: (channel, now) =>
      connection.write(() => {
        supersede(channel, now, '')
      }),

    async heldPlans({ channel, now }) {
      const rows = connection.read((db) =>
        db
          .prepare(
            `select * from held_rounds where (@channel is null or channel = @channel) and expires_at > @now
              and approved_at is null and superseded_at is null order by created_at, plan_id`,
          )
          .all({ channel: channel ?? null, now: now.toISOString() }),
      ) as PlanRow[]
      return rows.map((row) => ({
        plan: row.plan_id,
        channel: row.channel,
        rfqIds: JSON.parse(row.rfq_ids) as string[],
        since: row.created_at,
        expiresAt: row.expires_at,
        remedy:
          `check them with: quotekeeper close-expired --channel ${row.channel} --dry-run; ` +
          `then close exactly these with: quotekeeper close-expired --approve ${row.plan_id}`,
      }))
    },
  }
}
