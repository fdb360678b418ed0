import type { ControlDeps } from '../deps.ts'

/** Time after which a file without a reference counts as an abandoned upload, ms. */
const unusedMs = 24 * 3_600_000

/** Deletes files that belong to no data source, left by a killed process or an abandoned upload. */
export const sweepUploads = async ({
  db,
  files,
  clock,
}: Pick<ControlDeps, 'db' | 'files' | 'clock'>): Promise<void> => {
  const kept = await files.list('')
  const rows = await db.selectFrom('data_source_uploads').select('id').where('replaced', '=', false).execute()
  const used = new Set(rows.map(({ id }) => id))
  const before = clock() - unusedMs
  for (const { key, time } of kept) if (time < before && !used.has(key.split('/').at(-1) ?? '')) await files.delete(key)
}
