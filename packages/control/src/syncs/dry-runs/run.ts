import { type SyncDryRun, type SyncSample, sentSyncRuns } from '@tributary/contract'
import { faultPoint, jsonMembers } from '@tributary/kernel'
import type { SyncDryRunsTable } from '@tributary/storage'
import type { Updateable } from 'kysely'
import type { ControlDeps } from '../../deps.ts'
import { reachedOf } from '../cursor.ts'
import { failureOf } from '../failure.ts'
import { type ListDeps, listObject, ownsObject } from '../own-object.ts'
import { fieldsOf } from '../read.ts'
import { type ReadDeps, readRows } from '../read-rows.ts'
import { doubtOf } from '../run.ts'
import { type ChangeCount, createSyncStore, type SyncStore } from '../store.ts'
import { dryRunJob } from './begin.ts'
import { type SyncDryRunRow, unfinishedDryRuns } from './read.ts'
import { type SampledRow, sampleRows } from './sample.ts'

export type DryRunDeps = ReadDeps & ListDeps & Pick<ControlDeps, 'eventStore'>

/** For how long a database may take to give the rows of a model, ms. */
const readMs = 30 * 60_000
/** How often its progress is written down, ms. */
const progressMs = 1000
/** Rows of each group that are shown; characters of a value, and of all values together, beyond which no more rows are. */
const rowsOfGroup = 10
const valueCharacters = 300
const allCharacters = 1_000_000

/** Somebody has canceled it, or what it is of is gone. */
class Over extends Error {}

/** What a run would do, of what is written down of it; rows that are not are as they were. */
export const expectedCounts = (read: number, found: readonly ChangeCount[]): NonNullable<SyncDryRun['counts']> => {
  const counts = { read, added: 0, changed: 0, unchanged: 0, skipped: 0, invalid: 0, removed: 0 }
  let told = 0
  for (const { change, operation, keys, rows } of found) {
    if (change === 'removed') {
      counts.removed += keys
      continue
    }
    told += rows
    if (change === 'invalid' || change === 'duplicate') counts.invalid += rows
    else if (operation === '') counts.skipped += rows
    else counts[change === 'added' ? 'added' : 'changed'] += rows
  }
  return { ...counts, unchanged: read - told }
}

const cut = (text: string | undefined): string | null =>
  text === undefined ? null : text.length > valueCharacters ? `${text.slice(0, valueCharacters).toWellFormed()}…` : text

const membersOf = (payload: string): Map<string, string> => (payload === '' ? new Map() : jsonMembers(payload))

const sampleOf = ({ before, after, ...row }: SampledRow): SyncSample => {
  const [old, now] = [membersOf(before), membersOf(after)]
  const names = [...new Set([...old.keys(), ...now.keys()])]
  return {
    ...row,
    fields: names.map((name) => ({ name, before: cut(old.get(name)), after: cut(now.get(name)) })),
    before_known: before !== '',
  }
}

/** Samples as many as fit; there is always one. */
const fitting = (rows: readonly SampledRow[]): SyncSample[] => {
  let characters = 0
  return rows.flatMap((row, index) => {
    const sample = sampleOf(row)
    characters += JSON.stringify(sample).length
    return index === 0 || characters <= allCharacters ? [sample] : []
  })
}

/** Reads and compares; resolves to what is to be shown. */
const look = async (
  deps: DryRunDeps,
  row: SyncDryRunRow,
  { store, signal, note }: { store: SyncStore; signal: AbortSignal; note: (set: Changes) => Promise<void> },
): Promise<Changes> => {
  let noted = performance.now()
  const synced =
    row.sync_id === null
      ? undefined
      : await deps.db.selectFrom('syncs').select('cursor_reached').where('id', '=', row.sync_id).executeTakeFirst()
  const { read, keyIsPrimary, cursor } = await readRows(deps, store, row.id, {
    ...row,
    reached: synced === undefined || row.resync ? undefined : reachedOf(synced),
    fields: fieldsOf(row),
    sync: row.sync_id ?? row.id,
    signal,
    withinMs: readMs,
    onRead: async (rows) => {
      if (performance.now() - noted < progressMs) return
      noted = performance.now()
      await note({ read_rows: rows })
    },
  })
  faultPoint('sync.dry-run-after-stage')
  await note({ state: 'comparing', read_rows: read })
  const of = row.sync_id ?? row.id
  const owns = ownsObject(row)
  if (owns) await listObject(deps, store, row.id, { ...row, signal, withinMs: readMs })
  await store.plan(of, row.id, { mode: row.mode, resync: row.resync, keyIsPrimary, owns })
  const counts = expectedCounts(read, await store.count(row.id))
  const { changed, removed } = counts
  const confirmed = await store.confirmedCount(of, row.id, owns)
  const readsAll = (cursor?.from ?? null) === null
  const asks = doubtOf({ read, readsAll, confirmed, changed: row.resync ? 0 : changed, removed }, row) ?? ''
  const last =
    row.sync_id === null
      ? undefined
      : await deps.db
          .selectFrom('sync_runs')
          .select('id')
          .where('sync_id', '=', row.sync_id)
          .where('state', 'in', [...sentSyncRuns])
          .orderBy('number', 'desc')
          .executeTakeFirst()
  const samples = fitting(
    await sampleRows(
      deps.eventStore,
      { run: row.id, sync: of, last: last?.id ?? row.id, limit: rowsOfGroup },
      { owner: row.workspace_id, signal },
    ),
  )
  return { state: 'done', counts: JSON.stringify(counts), asks, samples: JSON.stringify(samples) }
}

type Changes = Omit<Updateable<SyncDryRunsTable>, 'finish_time'>

/**
 * Finds out what a run would do, by what the run itself reads and compares with, and leaves nothing of it in the event store,
 * whatever becomes of it. Rejects for what passes by itself, to be tried again, as long as that is of use.
 */
export const dryRunSync = async (
  deps: DryRunDeps,
  { dry_run }: { dry_run: string },
  { signal, attempt }: { signal: AbortSignal; attempt: number },
): Promise<void> => {
  const { db, eventStore, clock } = deps
  const note = async (set: Updateable<SyncDryRunsTable>): Promise<void> => {
    const known = await db
      .updateTable('sync_dry_runs')
      .set(set)
      .where('id', '=', dry_run)
      .where('state', 'in', [...unfinishedDryRuns])
      .returning('id')
      .executeTakeFirst()
    if (known === undefined) throw new Over()
  }
  const row = await db.selectFrom('sync_dry_runs').selectAll().where('id', '=', dry_run).executeTakeFirst()
  if (row === undefined) return
  const store = createSyncStore(eventStore, row.workspace_id, signal)
  try {
    await note({ state: 'reading', read_rows: 0 })
    await store.clear(row.id)
    await note({ ...(await look(deps, row, { store, signal, note })), finish_time: new Date(clock()) })
  } catch (error) {
    if (error instanceof Over) return
    const last = attempt > dryRunJob.retries.most
    const message = failureOf(error, attempt) ?? (last ? 'The dry run could not be finished. Try again' : undefined)
    if (message === undefined || signal.aborted) throw error
    await note({ state: 'failed', message, finish_time: new Date(clock()) }).catch(() => {})
  } finally {
    await store.clear(row.id)
  }
}
