import type { SyncSample } from '@tributary/contract'
import type { EventStore } from '@tributary/storage'
import { reasons, shownChange } from '../changes.ts'

/** A row that a run would write or report. Payloads are '' if unknown. */
export type SampledRow = Omit<SyncSample, 'fields' | 'before_known'> & { before: string; after: string }

type Found = Omit<SampledRow, 'before' | 'after' | 'group'> & { kind: SyncSample['group'] }
type Kept = { run_id: string; key: string; payload: string }

/**
 * Reads the first planned rows of each group in a run, with the values that would be written and the current values.
 * Current values are shown only if the rows of the `last` run of the `sync` are still stored and equal the confirmed
 * rows.
 */
export const sampleRows = async (
  eventStore: EventStore,
  { run, sync, last, limit }: { run: string; sync: string; last: string; limit: number },
  { owner, signal }: { owner: string; signal: AbortSignal },
): Promise<SampledRow[]> => {
  const options = { owner, slot: 'heavy', signal } as const
  const rows = await eventStore.query<Found>(
    `select key, source_key, ${shownChange('planned')} as change, operation, reason, rows,
       multiIf(planned.change in ('invalid', 'duplicate') or (operation = '' and startsWith(reason, '${reasons.same}')), 'invalid', operation = '', 'skipped', planned.change = 'removed', 'removed',
         planned.change = 'sent_again', 'sent_again', operation = 'update', 'updated', planned.change = 'added', 'added', 'changed') as kind
     from sync_changes as planned where run_id = {run:String} order by number limit {limit:UInt32} by kind`,
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
    // Several rows have the key, and it is unknown which row would be written.
    after: row.change === 'duplicate' ? '' : (after.get(row.key) ?? ''),
  }))
}
