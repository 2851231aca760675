import { randomBytes } from 'node:crypto'
import { quoteForShell } from '../../core/text/quote-for-shell.js'
import type { Closings } from '../contract.js'
import { allOf, type SqlDatabase, type Transaction } from '../sql/sql-database.js'

interface PlanRow {
  plan_id: string
  channel: string
  rfq_ids: string
  created_at: string
  expires_at: string
}

type ApprovalPlans = Pick<
  Closings,
  'createApprovalPlan' | 'findApprovalPlan' | 'approvePlan' | 'supersedePlans' | 'pendingPlans'
>

/** Approval plans: the RFQs of a closing round that was blocked because of its size (table `approval_plans`). */
export function createApprovalPlans(database: SqlDatabase): ApprovalPlans {
  const supersede = (tx: Transaction, channel: string, now: Date, except: string) =>
    tx.run(
      `update approval_plans set superseded_at = @at
      where channel = @channel and plan_id <> @except and superseded_at is null and approved_at is null`,
      { at: now.toISOString(), channel, except },
    )

  return {
    createApprovalPlan: ({ channel, rfqIds, now, expiresAt }) =>
      database.write(async (tx) => {
        await tx.lock('approval plans', channel)
        const ids = JSON.stringify([...rfqIds].sort())
        const known = await tx.get<PlanRow>(
          'select plan_id from approval_plans where channel = @channel and rfq_ids = @ids order by created_at desc',
          { channel, ids },
        )
        const planId = known?.plan_id ?? `plan-${randomBytes(5).toString('hex')}`
        await tx.run(
          `insert into approval_plans (plan_id, channel, rfq_ids, created_at, expires_at)
          values (@planId, @channel, @ids, @at, @expiresAt)
          on conflict (plan_id) do update set expires_at = excluded.expires_at,
            approved_at = null, approved_by = null, superseded_at = null`,
          { planId, channel, ids, at: now.toISOString(), expiresAt: expiresAt.toISOString() },
        )
        await supersede(tx, channel, now, planId)
        return planId
      }),

    async findApprovalPlan(planId, now) {
      const row = await database.get<PlanRow>(
        'select channel, rfq_ids from approval_plans where plan_id = @planId and expires_at > @now',
        { planId, now: now.toISOString() },
      )
      return row ? { channel: row.channel, rfqIds: JSON.parse(row.rfq_ids) as string[] } : null
    },

    approvePlan: (planId, { by, now }) =>
      database.write(async (tx) => {
        await tx.run('update approval_plans set approved_at = @at, approved_by = @by where plan_id = @planId', {
          at: now.toISOString(),
          by,
          planId,
        })
      }),

    supersedePlans: (channel, now) =>
      database.write(async (tx) => {
        await supersede(tx, channel, now, '')
      }),

    async pendingPlans({ channel, now }) {
      const ofChannel = channel !== undefined && 'channel = @channel'
      const rows = await database.all<PlanRow>(
        `select * from approval_plans
        where ${allOf(ofChannel, 'expires_at > @now')} and approved_at is null and superseded_at is null
        order by created_at, plan_id`,
        { channel: channel ?? null, now: now.toISOString() },
      )
      return rows.map((row) => ({
        plan: row.plan_id,
        channel: row.channel,
        rfqIds: JSON.parse(row.rfq_ids) as string[],
        since: row.created_at,
        expiresAt: row.expires_at,
        remedy:
          `check them with: quotekeeper close-expired --channel ${quoteForShell(row.channel)} --dry-run; ` +
          `then close exactly these with: quotekeeper close-expired --approve ${row.plan_id}`,
      }))
    },
  }
}
