import { title } from '@tributary/contract'
import { z } from 'zod'

/** The rule of a source's title. */
export const sourceForm = z.object({ title })

/** Returns the rules for a new source. A schema is required unless the app has its own. */
export const newSourceForm = (hasPredefinedSchema: boolean) =>
  z.object({
    title,
    schema: hasPredefinedSchema ? z.string() : z.string().min(1, 'Schema template is required'),
  })
export type NewSourceValues = z.infer<ReturnType<typeof newSourceForm>>
