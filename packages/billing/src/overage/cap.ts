import { audit, lockOrganizationFor } from '@tributary/api-kit'
import { amountText, type methods, minorUnits, resourceNames } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { badRequest } from '@tributary/kernel'
import type { BillingServices } from '../services.ts'
import { readPlan, readUsage } from '../usage/read-usage.ts'
import { billedBlocks, blocksWithin, startedBlocks } from './amount.ts'
import { readCap } from './read-cap.ts'

/** The maximum amount of an invoice, in minor units. */
const maxAmount = 99_999_999

/**
 * Sets or removes the cap on the cost of additional profiles. The change also applies to the current period. Profiles
 * that were used before the change are still billed, so that a lower cap does not make them free.
 */
export const updateCap =
  (
    deps: Pick<BillingServices, 'db' | 'eventStore' | 'profileLedger' | 'billing' | 'clock'>,
  ): Handler<typeof methods.overageCaps.update> =>
  async ({ actor, organization, body, signal }) => {
    const { db, billing } = deps
    const { id } = organization
    const { currency } = billing.plans
    const amount = body.amount === null ? undefined : minorUnits(body.amount, currency)
    if (body.amount !== null && (amount === undefined || amount > maxAmount)) {
      const text = `Enter an amount from ${amountText(0, currency)} to ${amountText(maxAmount, currency)}`
      throw badRequest('VALIDATION', text, { amount: text })
    }
    const { period, overage } = await readPlan(deps, id)
    const used =
      overage === undefined ? 0 : (await readUsage(deps, id, period, { owner: id, slot: 'heavy', signal })).profiles
    await db.transaction().execute(async (tx) => {
      await lockOrganizationFor(tx, actor, organization)
      const before = await readCap(tx, id)
      const row = await tx
        .selectFrom('usage_periods')
        .selectAll()
        .where('organization_id', '=', id)
        .where('start_time', '=', period.start)
        .where('close_time', 'is', null)
        .executeTakeFirst()
      if (overage !== undefined && row !== undefined) {
        const billed = billedBlocks(startedBlocks(used, overage), blocksWithin(before, overage))
        await tx
          .updateTable('usage_periods')
          .set({ least_blocks: Math.max(Number(row.least_blocks), billed) })
          .where('organization_id', '=', id)
          .where('start_time', '=', period.start)
          .execute()
      }
      if (amount === undefined) await tx.deleteFrom('overage_caps').where('organization_id', '=', id).execute()
      else
        await tx
          .insertInto('overage_caps')
          .values({ organization_id: id, amount, currency })
          .onConflict((conflict) => conflict.column('organization_id').doUpdateSet({ amount, currency }))
          .execute()
      await audit(tx, resourceNames.organization.format({ organization: id }), {
        amount: body.amount,
        before: before === undefined ? null : amountText(before.amount, before.currency),
      })
    })
    return { amount: amount === undefined ? null : amountText(amount, currency), currency }
  }
