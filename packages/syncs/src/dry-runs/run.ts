import { readPlan } from '@tributary/billing'
import { type SyncDryRun, type SyncSample, sentSyncRuns } from '@tributary/contract'
import { cutText, faultPoint, jsonMembers } from '@tributary/kernel'
import type { SyncDryRunsTable } from '@tributary/storage'
import type { Updateable } from 'kysely'
import { groupOf } from '../counts.ts'
import { reachedOf } from '../cursor.ts'
import { failureOf } from '../failure.ts'
import { type ListDeps, listObject, ownsObject } from '../own-object.ts'
import { fieldsOf } from '../read.ts'
import { type ReadDeps, readRows } from '../read-rows.ts'
import { doubtOf } from '../run.ts'
import { planBySameKeys } from '../same-keys.ts'
import type { SyncServices } from '../services.ts'
import { type ChangeCount, createSyncStore, type SyncStore } from '../store.ts'
import { dryRunJob } from './begin.ts'
import { type SyncDryRunRow, unfinishedDryRuns } from './read.ts'
import { type SampledRow, sampleRows } from './sample.ts'

export type DryRunDeps = ReadDeps & ListDeps & Pick<SyncServices, 'eventStore' | 'billing'>

/** Maximum time for a database to return the rows of a model, ms. */
const readMs = 30 * 60_000
/** Interval in ms at which the progress is stored. */
const progressMs = 1000
/** Maximum number of sampled rows per group. */
const rowsOfGroup = 10
/** Maximum number of characters of a value in a sample. */
const valueCharacters = 300
/** Maximum number of characters of all samples together. */
const allCharacters = 1_000_000

/** Thrown if the dry run was canceled, or its sync was deleted. */
class Over extends Error {}

/** Returns the expected changes of a run, from the stored plan. Rows without an entry are unchanged. */
export const expectedCounts = (read: number, found: readonly ChangeCount[]): NonNullable<SyncDryRun['counts']> => {
  const counts = {
    read,
    added: 0,
    changed: 0,
    updated: 0,
    sent_again: 0,
    unchanged: 0,
    skipped: 0,
    invalid: 0,
    removed: 0,
    history: 0,
  }
  let changedRows = 0
  for (const { change, operation, status, keys, rows } of found) {
    if (change === 'removed') {
      counts.removed += keys
      continue
    }
    changedRows += rows
    // A row that the destination treats as another row of the model is refused without being sent.
    if (change === 'invalid' || change === 'duplicate' || status === 'dead') counts.invalid += rows
    else if (operation === '') counts.skipped += rows
    else counts[groupOf({ change, operation })] += rows
  }
  return { ...counts, unchanged: read - changedRows }
}

const cut = (text: string | undefined): string | null =>
  text === undefined ? null : text.length > valueCharacters ? `${cutText(text, valueCharacters).toWellFormed()}…` : text

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

/** Returns as many samples as fit into `allCharacters`, but at least one. */
const fitting = (rows: readonly SampledRow[]): SyncSample[] => {
  let characters = 0
  return rows.flatMap((row, index) => {
    const sample = sampleOf(row)
    characters += JSON.stringify(sample).length
    return index === 0 || characters <= allCharacters ? [sample] : []
  })
}

/** Counts the events of a run that happened before the current usage period of its organization. */
const countHistory = async (deps: DryRunDeps, row: SyncDryRunRow, store: SyncStore): Promise<number> => {
  const { organization_id } = await deps.db
    .selectFrom('workspaces')
    .select('organization_id')
    .where('id', '=', row.workspace_id)
    .executeTakeFirstOrThrow()
  const { period } = await readPlan(deps, organization_id)
  return await store.countHistory(row.id, period.start.getTime())
}

/** Reads the rows, compares them with the confirmed rows, and returns the result for display. */
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
  const given = {
    ...row,
    reached: synced === undefined || row.resync ? undefined : reachedOf(synced),
    fields: fieldsOf(row),
    sync: row.sync_id ?? row.id,
    signal,
    withinMs: readMs,
    onRead: async (rows: number) => {
      if (performance.now() - noted < progressMs) return
      noted = performance.now()
      await note({ read_rows: rows })
    },
  }
  const { read, keyIsPrimary, cursor, ...kinds } = await readRows(deps, store, row.id, given)
  faultPoint('sync.dry-run-after-stage')
  await note({ state: 'comparing', read_rows: read })
  const of = row.sync_id ?? row.id
  const owns = ownsObject(row)
  if (owns) await listObject(deps, store, row.id, { ...row, signal, withinMs: readMs })
  const plan = { mode: row.mode, resync: row.resync, keyIsPrimary, owns, keyKind: kinds.keyKind, prepares: false }
  await planBySameKeys(deps, store, row.id, { ...given, ...kinds, sync: of }, plan)
  const found = await store.count(row.id)
  const history = row.source_id === null ? 0 : await countHistory(deps, row, store)
  const counts = { ...expectedCounts(read, found), history }
  const { changed, removed } = counts
  // Only updates of confirmed rows count as changed. An update with the change `added` is of a row that the destination
  // has never confirmed.
  const confirmedOnes = found.filter(({ change, operation }) => change !== 'added' && operation === 'update')
  const updated = confirmedOnes.reduce((sum, { rows }) => sum + rows, 0)
  const confirmed = await store.confirmedCount(of, row.id, owns)
  const readsAll = (cursor?.from ?? null) === null
  const asks = doubtOf({ read, readsAll, confirmed, changed: row.resync ? 0 : changed + updated, removed }, row) ?? ''
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
 * Finds the changes that a run would make: reads and compares the rows as a run does. Always removes the data of the
 * dry run from the event store. Rejects for temporary errors, so that the job is retried while that is useful.
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
