import type { Tx } from '@tributary/api-kit'
import type { SyncRunCounts } from '@tributary/contract'
import { conflict, faultPoint, type Logger } from '@tributary/kernel'
import { sql } from 'kysely'
import { alertRun } from './alerts/alert.ts'
import { findRowObject } from './check.ts'
import { countRows, unsentRows } from './counts.ts'
import { reachedBy, reachedOf, readCursorOf } from './cursor.ts'
import { endRun } from './end-run.ts'
import { failureOf } from './failure.ts'
import { moveRun } from './move-run.ts'
import { type ListDeps, listObject, ownsObject } from './own-object.ts'
import type { DeletedUsers } from './planned-entries.ts'
import { countsOf, fieldsOf, type SyncRow, type SyncRunRow, selectSyncs } from './read.ts'
import { type ReadDeps, readRows } from './read-rows.ts'
import { planBySameKeys } from './same-keys.ts'
import { sendEvents } from './send-events.ts'
import { type Outbound, outcomesEnd, sendRows } from './send-rows.ts'
import type { SyncServices } from './services.ts'
import { countRejected, createSyncStore, type SyncStore } from './store.ts'

export type SyncRunDeps = Pick<
  SyncServices,
  'eventStore' | 'catalog' | 'clock' | 'jobs' | 'live' | 'publicUrl' | 'appendRequest' | 'whenStored'
> &
  ReadDeps &
  ListDeps & { outbound: Outbound; logger: Logger }

type Working = { row: SyncRow; run: SyncRunRow; store: SyncStore; signal: AbortSignal; attempt: number }

/** Maximum time for a database to return the rows of a model, ms. */
const extractMs = 2 * 60 * 60_000
/** Returns the message with which the run asks for approval; undefined if no approval is needed. */
export const doubtOf = (
  given: { read: number; readsAll: boolean; confirmed: number; changed: number; removed: number },
  { guard_percent }: Pick<SyncRow, 'guard_percent'>,
): string | undefined => {
  const { read, readsAll, confirmed, changed, removed } = given
  if (read === 0 && readsAll) return 'The model has no rows'
  if (confirmed === 0) return undefined
  const percent = ((changed + removed) / confirmed) * 100
  return percent > guard_percent
    ? `The run would change ${changed} and remove ${removed} of ${confirmed} rows, which is more than ${guard_percent}%`
    : undefined
}

const plannedOf = ({ added, changed, waiting, removals_waiting }: SyncRunCounts, addedRows: number) => ({
  added: added + addedRows,
  changed: changed + waiting - addedRows,
  removed: removals_waiting,
})

const noRowSent = 'No row could be sent'
const sourceOff = 'The source is turned off'

/** Whether a source accepts events. */
const isEnabled = async (db: SyncServices['db'], source: string): Promise<boolean> => {
  const row = await db.selectFrom('sources').select('enabled').where('id', '=', source).executeTakeFirst()
  return row?.enabled === true
}

/** Reads, compares and stores the plan; returns false if the state of the run no longer allows this. */
const prepare = async (deps: SyncRunDeps, working: Working): Promise<boolean> => {
  const { db, clock, outbound } = deps
  const { row, run, store } = working
  const begun = await moveRun(db, run.id, 'begin', new Date(clock()), { start_time: new Date(clock()) })
  if (begun === undefined) return false
  await store.clear(run.id)
  if (row.source_id !== null && !(await isEnabled(db, row.source_id))) throw conflict('SOURCE_DISABLED', sourceOff)
  const given = {
    ...row,
    fields: fieldsOf(row),
    reached: run.resync ? undefined : reachedOf(row),
    sync: row.id,
    signal: working.signal,
    withinMs: extractMs,
  }
  const { read, keyIsPrimary, cursor, ...kinds } = await readRows(deps, store, run.id, given)
  faultPoint('sync.after-stage')
  const readsAll = (cursor?.from ?? null) === null
  // Until this run has ended well, rows below the previous highest value may be outdated at the destination.
  if (readsAll && row.cursor_reached !== null)
    await db.updateTable('syncs').set({ cursor_reached: null }).where('id', '=', row.id).execute()
  const readBy = cursor === undefined ? null : JSON.stringify(cursor)
  if ((await moveRun(db, run.id, 'staged', new Date(clock()), { cursor: readBy })) === undefined) return false
  const { rerun_of: rerunOf, resync } = run
  const owns = ownsObject(row) && rerunOf === null
  if (owns) await listObject(deps, store, run.id, { ...row, signal: working.signal, withinMs: extractMs })
  const plan = { mode: row.mode, resync, keyIsPrimary, rerunOf, owns, keyKind: kinds.keyKind, prepares: true }
  const plan_size = await planBySameKeys(deps, store, run.id, { ...given, ...kinds }, plan)
  const found = await store.count(run.id)
  faultPoint('sync.after-plan')
  const owner = { owner: row.workspace_id, signal: working.signal }
  const accounted = rerunOf === null ? read : await countRejected(deps.eventStore, { run: run.id, of: rerunOf }, owner)
  const counts = countRows(accounted, found)
  const first = found.find(({ change, operation }) => change === 'added' && operation !== '')
  // An update of a sync that only updates counts as a changed row, not as an added one.
  const isUpdate = first?.operation === 'update'
  const planned = plannedOf(counts, isUpdate ? 0 : (first?.rows ?? 0))
  const message = doubtOf(
    {
      read,
      readsAll,
      confirmed: await store.confirmedCount(row.id, run.id, owns),
      // The user requested a resync and expects that all rows are sent again, so changed rows need no approval.
      changed: resync ? 0 : planned.changed - (isUpdate ? (first?.rows ?? 0) : 0),
      removed: planned.removed,
    },
    row,
  )
  if (owns) await store.unlist(run.id)
  const next = await moveRun(db, run.id, message === undefined ? 'planned' : 'doubted', new Date(clock()), {
    plan_size,
    planned: JSON.stringify(planned),
    counts: JSON.stringify(counts),
    message: message ?? '',
    outcome_offset: await outcomesEnd(outbound.outcomes, row.id),
  })
  return next === 'sending'
}

/** Makes the next run of a sync continue from the highest value of this run. */
const moveCursor = async (tx: Tx, { row, run }: Pick<Working, 'row' | 'run'>, to: { of: string; to: string }) => {
  await tx
    .updateTable('syncs')
    .set({ cursor_reached: JSON.stringify(to) })
    .where('id', '=', row.id)
    .execute()
  const cursor = JSON.stringify({ ...readCursorOf(run), moved: true })
  await tx.updateTable('sync_runs').set({ cursor }).where('id', '=', run.id).execute()
}

/**
 * Ends a run, and notifies users if the rules of its sync say so, in one transaction. If the run ended well, the cursor
 * of the sync advances.
 */
const end = async (
  deps: SyncRunDeps,
  { row, run }: Pick<Working, 'row' | 'run'>,
  event: 'settled' | 'settled_with_rejected' | 'fail',
  set: { message?: string; counts?: string },
  reached?: ReturnType<typeof reachedBy>,
): Promise<void> => {
  const announce = await deps.db.transaction().execute(async (tx) => {
    const state = await endRun(tx, deps, run.id, event, set)
    if (state === 'succeeded' && reached !== undefined) await moveCursor(tx, { row, run }, reached)
    return state === undefined ? undefined : await alertRun(tx, deps, row, run.id)
  })
  announce?.(deps.live)
}

/** Looks up users who were deleted after a time and may have rows in a sync. */
const deletedSince = (db: SyncServices['db'], { sync, time }: { sync: string; time: Date }): DeletedUsers => ({
  async any() {
    const requests = await db
      .selectFrom('privacy_syncs')
      .innerJoin('privacy_requests', 'privacy_requests.id', 'privacy_syncs.request_id')
      .select('request_id')
      .where('sync_id', '=', sync)
      .where('privacy_requests.create_time', '>=', time)
      .limit(1)
      .execute()
    return requests.length > 0
  },
  async of(keys) {
    const { rows } = await sql<{ key: string }>`
      select key from privacy_syncs o join privacy_requests r on r.id = o.request_id cross join unnest(o.keys) as key
      where o.sync_id = ${sync}::uuid and r.create_time >= ${time} and key = any(${keys}::text[])`.execute(db)
    return new Set(rows.map(({ key }) => key))
  },
})

/** Sends the plan to the destination. */
const sendToDestination = async (
  { db, catalog, outbound }: SyncRunDeps,
  { row, run, store, signal }: Working,
  destinationId: string,
  state: () => Promise<'sending' | 'canceling' | undefined>,
): Promise<{ settled: boolean; rejected: number }> => {
  const destination = await db
    .selectFrom('destinations')
    .select('app')
    .where('id', '=', destinationId)
    .executeTakeFirstOrThrow()
  const rowObject = await findRowObject(catalog, destination.app, row.object)
  return await sendRows(
    outbound,
    store,
    {
      workspaceId: row.workspace_id,
      sync: row.id,
      run: run.id,
      destinationId,
      object: rowObject?.address({ name: row.object_name, identifier: row.identifier }) ?? row.object,
      identifier: row.identifier,
      planSize: run.plan_size,
      outcomeOffset: Number(run.outcome_offset),
    },
    {
      state,
      learned: async (outcome_offset) =>
        void (await db.updateTable('sync_runs').set({ outcome_offset }).where('id', '=', run.id).execute()),
      deleted: deletedSince(db, { sync: row.id, time: run.start_time ?? run.create_time }),
    },
    signal,
  )
}

/**
 * Sends the plan as events of the source. While the source is disabled, nothing is sent, and the run shows the reason.
 */
const sendToSource = async (
  deps: SyncRunDeps,
  { row, run, store, signal }: Working,
  source: string,
  runState: () => Promise<'sending' | 'canceling' | undefined>,
): Promise<{ settled: boolean; rejected: number }> => {
  const { db } = deps
  const state = async () => {
    const now = await runState()
    if (now !== 'sending') return now
    const enabled = await isEnabled(db, source)
    const message = enabled ? '' : `${sourceOff}. The run goes on when it is turned on`
    await db
      .updateTable('sync_runs')
      .set({ message })
      .where('id', '=', run.id)
      .where('state', '=', 'sending')
      .where('message', '!=', message)
      .execute()
    return enabled ? now : undefined
  }
  const since = Number(run.start_time ?? run.create_time)
  const { workspace_id: workspaceId, to_destinations: toDestinations } = row
  const sending = { workspaceId, source, run: run.id, toDestinations, planSize: run.plan_size, since }
  return await sendEvents({ ...deps, state }, store, sending, signal)
}

/** Sends the plan; resolves when the run has ended, or has waited for some time. */
const send = async (deps: SyncRunDeps, working: Working): Promise<void> => {
  const { db } = deps
  const { row, run, store } = working
  const state = async () => {
    const now = await db.selectFrom('sync_runs').select('state').where('id', '=', run.id).executeTakeFirst()
    return now?.state === 'sending' || now?.state === 'canceling' ? now.state : undefined
  }
  const { settled, rejected } =
    row.source_id === null
      ? await sendToDestination(deps, working, row.destination_id ?? '', state)
      : await sendToSource(deps, working, row.source_id, state)
  if (!settled) return
  await store.confirm(row.id, run.id, run.number)
  await store.dropSameKeys(run.id)
  faultPoint('sync.after-confirm')
  const found = await store.count(run.id)
  const counts = countRows(countsOf(run)?.read ?? 0, found)
  const isUnsent = unsentRows(counts) > 0
  const event = rejected > 0 || counts.rejected > 0 || isUnsent ? 'settled_with_rejected' : 'settled'
  // If several rows share a key, the cursor stays: the next run might otherwise read only some of these rows.
  const repeated = found.some(({ change }) => change === 'duplicate')
  await end(
    deps,
    { row, run },
    event,
    { counts: JSON.stringify(counts), ...(isUnsent ? { message: noRowSent } : {}) },
    reachedBy(run, repeated),
  )
}

/**
 * Continues the active run of a sync. After a kill, a run that has not sent rows reads them again; a run that was
 * sending continues after the sent rows. Rejects for a temporary error, so that the job is retried. Any other error
 * ends the run, which shows the error.
 */
export const runSync = async (
  deps: SyncRunDeps,
  { sync }: { sync: string },
  { signal, attempt }: { signal: AbortSignal; attempt: number },
): Promise<void> => {
  const { db, eventStore, logger } = deps
  const row = await selectSyncs(db).where('syncs.id', '=', sync).executeTakeFirst()
  if (row === undefined) return
  const active = () =>
    db
      .selectFrom('sync_runs')
      .selectAll()
      .where('sync_id', '=', sync)
      .where('state', 'in', ['queued', 'extracting', 'diffing', 'sending', 'canceling'])
      .executeTakeFirst()
  const run = await active()
  if (run === undefined) return
  const store = createSyncStore(eventStore, row.workspace_id, signal)
  const working = { row, run, store, signal, attempt }
  if (run.state !== 'sending' && run.state !== 'canceling') {
    try {
      if (!(await prepare(deps, working))) return
    } catch (error) {
      const message = failureOf(error, attempt)
      if (message === undefined || signal.aborted) throw error
      logger.info({ sync, run: run.id, error: message }, 'a run of a sync has failed')
      await end(deps, working, 'fail', { message })
      await store.clear(run.id)
      return
    }
  }
  const sending = await active()
  if (sending !== undefined) await send(deps, { ...working, run: sending })
}
