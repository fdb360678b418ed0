import type { LogPosition } from '@tributary/storage'
import { z } from 'zod'
import { forget, type Messages, needed, nothing, positions, refresh, trusted } from './message.ts'

const ofDestination = z.object({ workspaceId: z.string(), destinationId: z.string() })

/** A destination whose deliveries were made due. */
export type DueDeliveries = z.output<typeof ofDestination>

/**
 * Messages to delivery. Processes of two adjacent versions send them to each other (ADR 73), so a change of their names
 * and forms takes two versions.
 */
export const deliveryMessages = {
  refresh,
  forget,
  /** Picks up the deliveries of a destination that were made due. */
  'take-up': { request: ofDestination, answer: nothing },
  /** Makes the deliveries of a destination due, as `take-up` does, and also ends the back-off of the destination. */
  retry: { request: ofDestination, answer: nothing },
  needed,
  /** Returns the committed positions in the stream. */
  positions: { request: nothing, answer: positions },
  /** Trims the log of outcomes. Sent only if delivery has the only writer of this log. */
  'outcomes-trim': { request: trusted<readonly LogPosition[]>(), answer: nothing },
} satisfies Messages

export type DeliveryMessages = typeof deliveryMessages
