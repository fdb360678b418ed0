import type { Database } from '@tributary/storage'
import { type Kysely, sql } from 'kysely'
import { type Identifier, identifierKey } from './identifiers.ts'
import type { LedgerTx } from './ledger.ts'
import type { Observed } from './observe.ts'

/**
 * Maximum identifiers, over all workspaces, whose first time is cached before the cache is cleared. They take about 20
 * MB.
 */
const remembered = 100_000

type FirstTime = Identifier & { readonly workspaceId: string; readonly time: string }

/** The first times of identifiers in a batch, by workspace and identifier. */
export type FirstTimes = Map<string, FirstTime>

/**
 * Keeps the time of each identifier at its earliest event, in any order of events, because a backfill sends old events
 * of known people. Most events are later than a cached time, and need only a look-up in memory.
 */
export const createFirstTimes = (db: Kysely<Database>) => {
  let known = new Map<string, string>()
  const isEarlier = (time: string, other: string | undefined): boolean =>
    other === undefined || Date.parse(time) < Date.parse(other)

  return {
    /**
     * Records the time of an event for its identifiers, if the time is earlier than their cached times and their times
     * in this batch.
     */
    note(times: FirstTimes, { event: { workspaceId }, identifiers, time }: Observed): void {
      for (const identifier of identifiers) {
        const key = `${workspaceId} ${identifierKey(identifier)}`
        const own = time()
        if (isEarlier(own, known.get(key)) && isEarlier(own, times.get(key)?.time))
          times.set(key, { ...identifier, workspaceId, time: own })
      }
    },
    /** Writes the recorded times after the identifiers are stored; a missing identifier is skipped. */
    async write(times: FirstTimes): Promise<void> {
      if (times.size === 0) return
      await sql`
        update profile_identifiers i set create_time = given.time
        from jsonb_to_recordset(${JSON.stringify([...times.values()])}::jsonb)
          as given ("workspaceId" uuid, type text, value text, time timestamptz)
        where i.workspace_id = given."workspaceId" and i.value = given.value and i.type = given.type
          and i.create_time > given.time`.execute(db)
      if (known.size + times.size > remembered) known = new Map()
      for (const [key, { time }] of times) known.set(key, time)
    },
    /** Clears the cache, because the database may have been restored. */
    forget(): void {
      known = new Map()
    },
  }
}

/**
 * Preserves the first times of a workspace's identifiers while `make` rebuilds them from the ledger, in this
 * transaction.
 */
export const keepingFirstTimes = async (
  tx: LedgerTx,
  workspaceId: string,
  make: () => Promise<void>,
): Promise<void> => {
  await sql`create temporary table first_times on commit drop as
    select type, value, create_time from profile_identifiers where workspace_id = ${workspaceId}::uuid`.execute(tx)
  await make()
  await sql`update profile_identifiers i set create_time = kept.create_time from first_times kept
    where i.workspace_id = ${workspaceId}::uuid and i.value = kept.value and i.type = kept.type
      and i.create_time > kept.create_time`.execute(tx)
}
