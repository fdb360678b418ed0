import { z } from 'zod'

/** The rule of a source's title. */
export const sourceForm = z.object({ title: z.string().trim().min(1, 'Required').max(200, 'At most 200 characters') })
