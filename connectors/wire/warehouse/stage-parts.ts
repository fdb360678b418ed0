import { randomUUID } from 'node:crypto'
import type { StageRow, WarehouseSession } from './dialect.ts'
import { stageTable } from './dialect.ts'
import { rowsPrefix } from './statements.ts'

/**
 * Stages the rows of one batch in parts, each with a statement of its own. A load sees all parts or none: they have a
 * name that loads pass over until one statement gives them that of the batch. A load removes parts of a killed process
 * a day later.
 */
export const stageInParts = async (
  { dialect, run }: Pick<WarehouseSession, 'dialect' | 'run'>,
  parts: readonly (readonly StageRow[])[],
  stagePart: (rows: readonly StageRow[]) => Promise<void>,
): Promise<void> => {
  const batch = parts[0]?.[0]?.batch ?? ''
  const isDirect = parts.length <= 1 || batch.startsWith(rowsPrefix)
  const temporary = `${rowsPrefix}${new Date().toISOString().replace(/[-:.]/g, '')}-${randomUUID()}`
  for (const part of parts) await stagePart(isDirect ? part : part.map((row) => ({ ...row, batch: temporary })))
  if (isDirect) return
  await run(
    `UPDATE ${dialect.table(stageTable)} SET batch = ${dialect.literal(batch)} WHERE batch = ${dialect.literal(temporary)}`,
  )
}
