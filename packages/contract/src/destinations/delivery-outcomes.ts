import { z } from 'zod'

/**
 * The outcomes of the deliveries of a period: the one definition of every figure about delivery. A delivery is one event
 * for one destination. It counts once, however often it was tried, by the last thing that happened to it before the end
 * of the period, and only if that lies in the period.
 */
export const deliveryOutcomes = z.object({
  /** The sum of the four below. */
  received: z.number().int(),
  /** Filtered: by a filter, a missing mapping, consent or the event itself. */
  filtered: z.number().int(),
  /** To be retried, or held without an attempt. */
  pending: z.number().int(),
  /** Dead letters that were not delivered since by a retry or a replay. */
  failed: z.number().int(),
  delivered: z.number().int(),
})
export type DeliveryOutcomes = z.infer<typeof deliveryOutcomes>

/** The sum of several outcomes. */
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

/** Delivered ÷ (delivered + failed), 0 to 1; undefined while neither has happened. */
export const successRate = ({
  delivered,
  failed,
}: Pick<DeliveryOutcomes, 'delivered' | 'failed'>): number | undefined =>
  delivered + failed === 0 ? undefined : delivered / (delivered + failed)
