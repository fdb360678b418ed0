import { z } from 'zod'
import type { LoadRow } from './begin-load.ts'

const stored = z.object({
  table: z.string(),
  column: z.string(),
  type: z.string().optional(),
  name: z.string().optional(),
})

/** A change of a column, as it is stored. */
export type StoredChange = z.output<typeof stored>

/** Reads the change of a row; undefined for a load. */
export const changeOf = ({ change }: Pick<LoadRow, 'change'>): StoredChange | undefined =>
  change === null ? undefined : stored.parse(change)

/** Returns a change in words, such as `order_completed.total to Float64`; '' for a load. */
export const changeText = (row: Pick<LoadRow, 'change'>): string => {
  const change = changeOf(row)
  if (change === undefined) return ''
  const to = change.type ?? change.name
  return `${change.table}.${change.column}${to === undefined ? '' : ` to ${to}`}`
}
