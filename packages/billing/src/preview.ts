import { amountText, type methods, type PlanChange } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { conflict } from '@tributary/kernel'
import { changeTo, requirePrice } from './change-plan.ts'
import { PaymentRefused } from './provider.ts'
import { type BillingDeps, finishOpen, readOperation, readSubscription, requirePayment } from './subscription.ts'

/** Returns what a change of plan would charge, and when it takes effect. Changes nothing. */
export const previewSubscription =
  (deps: BillingDeps): Handler<typeof methods.subscriptions.preview> =>
  async ({ organization: { id }, body }) => {
    const payment = requirePayment(deps)
    const price = requirePrice(deps, body)
    await finishOpen(deps, id)
    const held = await readSubscription(deps, id)
    const change = changeTo(deps, held, price)
    const nothing = { lines: [], total: amountText(0, price.currency), currency: price.currency, prorate_time: null }
    if (change === undefined) return { takes_effect: 'none', effect_time: null, ...nothing }
    if (change.kind !== 'change' || change.when === 'period-end') {
      const now = change.kind === 'resume' || held === undefined
      return {
        takes_effect: now ? 'now' : 'period_end',
        effect_time: held?.periodEnd.toISOString() ?? null,
        ...nothing,
      }
    }
    // Whole seconds, as payment providers count; not before the start of the period.
    const second = Math.floor(deps.clock() / 1000) * 1000
    const prorateTime = new Date(Math.max(second, held?.periodStart.getTime() ?? 0)).toISOString()
    try {
      const customer = await payment.customerOf(id)
      const { lines, total, currency } = await payment.previewChange(customer, { ...change, prorateTime })
      return {
        takes_effect: 'now',
        effect_time: null,
        lines: lines.map(({ description, amount }) => ({ description, amount: amountText(amount, currency) })),
        total: amountText(total, currency),
        currency,
        prorate_time: held === undefined ? null : prorateTime,
      }
    } catch (cause) {
      if (!(cause instanceof PaymentRefused)) throw cause
      throw conflict('PAYMENT_REFUSED', `The payment provider refused the change: ${cause.message}`)
    }
  }

/** Lists the changes of plan that were requested. */
export const listChanges =
  ({ db }: BillingDeps): Handler<typeof methods.subscriptions.listChanges> =>
  async ({ organization: { id } }) => {
    const rows = await db
      .selectFrom('payment_operations')
      .leftJoin('users', (join) =>
        join.on((on) => on(on.cast<string>('users.id', 'text'), '=', on.ref('payment_operations.actor'))),
      )
      .selectAll('payment_operations')
      .select(['users.first_name', 'users.last_name', 'users.email'])
      .where('payment_operations.organization_id', '=', id)
      .orderBy('payment_operations.create_time', 'desc')
      .orderBy('payment_operations.id', 'desc')
      .limit(100)
      .execute()
    const changes = rows.map((row): PlanChange => {
      const { change } = readOperation(row.request)
      const named = [row.first_name, row.last_name].filter(Boolean).join(' ')
      return {
        change: change.kind === 'end' ? 'cancel' : change.kind,
        plan: change.kind === 'change' ? change.price.plan : null,
        recurring_interval: change.kind === 'change' ? change.price.interval : null,
        takes_effect: change.kind !== 'change' ? null : change.when === 'now' ? 'now' : 'period_end',
        create_time: row.create_time.toISOString(),
        outcome: row.outcome ?? 'pending',
        actor: named === '' ? (row.email ?? '') : named,
      }
    })
    return { changes }
  }
