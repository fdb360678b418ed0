import { title } from '@tributary/contract'
import { z } from 'zod'

/** The rule of a source's title. */
export const sourceForm = z.object({ title })
