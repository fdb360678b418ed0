import { z } from 'zod'

/**
 * The outcomes of the deliveries of a period: the one definition of every figure about delivery. A delivery is one
 * event for one destination. A delivery counts once, by its last outcome before the end of the period, and only if that
 * outcome is within the period.
 */
export const deliveryOutcomes = z.object({
  /** Number of all deliveries: the sum of the four numbers below. */
  received: z.number().int(),
  /** Deliveries that were not tried because of a filter, a missing mapping, consent or the event itself. */
  filtered: z.number().int(),
  /** Deliveries that will be retried, or that are held without an attempt. */
  pending: z.number().int(),
  /** Dead letters that no later retry or replay has delivered. */
  failed: z.number().int(),
  delivered: z.number().int(),
})
export type DeliveryOutcomes = z.infer<typeof deliveryOutcomes>

/** Returns the sum of several outcomes. */
export const addOutcomes = (all: readonly DeliveryOutcomes[]): DeliveryOutcomes => {
  const sum = { received: 0, filtered: 0, pending: 0, failed: 0, delivered: 0 }
  for (const each of all) {
    sum.received += each.received
    sum.filtered += each.filtered
    sum.pending += each.pending
    sum.failed += each.failed
    sum.delivered += each.delivered
  }
  return sum
}

/** Returns delivered ÷ (delivered + failed), from 0 to 1; undefined if both are 0. */
export const successRate = ({
  delivered,
  failed,
}: Pick<DeliveryOutcomes, 'delivered' | 'failed'>): number | undefined =>
  delivered + failed === 0 ? undefined : delivered / (delivered + failed)
