import { z } from 'zod'
import type { OutgoingRow } from './definition.ts'

const payload = z.object({
  userIds: z.array(z.string()),
  anonymousIds: z.array(z.string()),
  externalIds: z.array(z.object({ type: z.string(), id: z.string() })),
})

/** IDs of a user to delete. All data with any of the IDs is deleted. */
export type DeletedUser = z.output<typeof payload>

/** Returns the user that a row deletes; undefined for any other row. */
export const deletedUserOf = ({ operation, object, json }: OutgoingRow): DeletedUser | undefined =>
  operation === 'delete' && object === 'users' ? payload.parse(JSON.parse(json)) : undefined
