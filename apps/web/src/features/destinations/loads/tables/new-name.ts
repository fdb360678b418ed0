import { columnChange } from '@tributary/contract'
import { z } from 'zod'

/** The rule of a column's new name: that of the contract, and that the table has no such column yet. */
export const newNameRule = (taken: readonly string[]) =>
  z.object({
    name: columnChange.shape.name.unwrap().refine((name) => !taken.includes(name), 'The table already has this column'),
  })
