import type { SyncSample } from '@tributary/contract'
import type { EventStore } from '@tributary/storage'

/** A row of which a run would do or say something; payloads are '' where they are not known. */
export type SampledRow = Omit<SyncSample, 'fields' | 'before_known'> & { before: string; after: string }

type Found = Omit<SampledRow, 'before' | 'after' | 'group'> & { kind: SyncSample['group'] }
type Kept = { run_id: string; key: string; payload: string }

/**
 * The first rows of each group of what is written down of a run, with what would be there, and with what is there as far as the
 * rows of the `last` run of the `sync` are kept and are what was confirmed.
 */
export const sampleRows = async (
  eventStore: EventStore,
  { run, sync, last, limit }: { run: string; sync: string; last: string; limit: number },
  { owner, signal }: { owner: string; signal: AbortSignal },
): Promise<SampledRow[]> => {
  const options = { owner, slot: 'heavy', signal } as const
  const rows = await eventStore.query<Found>(
    `select key, source_key, change, operation, reason, rows,
       multiIf(change in ('invalid', 'duplicate'), 'invalid', operation = '', 'skipped', change = 'removed', 'removed',
         change = 'added', 'added', 'changed') as kind
     from sync_changes where run_id = {run:String} order by number limit {limit:UInt32} by kind`,
    { run, limit },
    options,
  )
  const keys = rows.map(({ key }) => key).filter((key) => key !== '')
  if (keys.length === 0) return rows.map(({ kind, ...row }) => ({ ...row, group: kind, before: '', after: '' }))
  const kept = await eventStore.query<Kept>(
    `select run_id, key, payload from sync_staged
     where run_id in ({run:String}, {last:String}) and problem = '' and key in {keys:Array(String)}
       and (run_id = {run:String} or (key, hash) in (
         select key, argMax(hash, version) from sync_confirmed
         where sync_id = {sync:String} and key in {keys:Array(String)} group by key having argMax(held, version) = 1))`,
    { run, last, sync, keys },
    options,
  )
  const payloadsOf = (id: string) =>
    new Map(kept.flatMap(({ run_id, key, payload }) => (run_id === id ? [[key, payload] as const] : [])))
  const [before, after] = [last === run ? new Map<string, string>() : payloadsOf(last), payloadsOf(run)]
  return rows.map(({ kind, ...row }) => ({
    ...row,
    group: kind,
    before: before.get(row.key) ?? '',
    // Of rows with one key it cannot be told which is meant.
    after: row.change === 'duplicate' ? '' : (after.get(row.key) ?? ''),
  }))
}
