import { columnChange } from '@tributary/contract'
import { z } from 'zod'

const [, renaming] = columnChange.options

/** The rule of a column's new name: that of the contract, and that the table has no such column yet. */
export const newNameRule = (taken: readonly string[]) =>
  z.object({
    name: renaming.shape.name.refine((name) => !taken.includes(name), 'The table already has this column'),
  })
