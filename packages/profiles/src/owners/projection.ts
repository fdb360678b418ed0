import { setTimeout as sleep } from 'node:timers/promises'
import { backoffMs, type Logger, newId, retryPolicies } from '@tributary/kernel'
import { type Database, type EventStore, systemOwner } from '@tributary/storage'
import type { Kysely } from 'kysely'
import { type Changes, readChanges, readLedgers, readMarks } from './changes.ts'

/** The owner of the row that contains the progress of its workspace. */
const placeOwner = '0'

const rowsOf = (workspaceId: string, { joined, through, version }: Changes): string[] => [
  ...joined.map(({ owner, profile }) => JSON.stringify({ workspace_id: workspaceId, owner, profile, version })),
  JSON.stringify({ workspace_id: workspaceId, owner: placeOwner, profile: through.mark, version: through.sequence }),
]

/** The table `profile_owners` of the event store. All calls reject while the store is unavailable. */
const createOwnersTable = (eventStore: Pick<EventStore, 'query' | 'insert' | 'command'>) => ({
  /** Returns the last projected entry of each ledger, and the mark of that entry. */
  async places(): Promise<{ id: string; place: number; mark: string }[]> {
    const rows = await eventStore.query<{ id: string; place: number; mark: string }>(
      `select workspace_id as id, maxIf(version, owner = 0) as place, toString(argMaxIf(profile, version, owner = 0)) as mark
       from profile_owners group by workspace_id`,
      {},
      { owner: systemOwner },
    )
    return rows.map(({ id, place, mark }) => ({ id, place: Number(place), mark }))
  },
  /** Inserts the current profile of each identifier, with the ledger position, in one atomic insert. */
  insert: (changes: ReadonlyMap<string, Changes>): Promise<void> =>
    eventStore.insert(
      'profile_owners',
      [...changes].flatMap(([id, each]) => rowsOf(id, each)),
      { token: newId() },
    ),
  /** Removes the rows of deleted people, including rows from before a merge. */
  erase: (workspaceId: string, erased: readonly string[]): Promise<void> =>
    eventStore.command(
      `alter table profile_owners delete where workspace_id = {workspace:String} and owner in (
         select owner from profile_owners
         where workspace_id = {workspace:String} and owner != 0 and profile in {erased:Array(UInt64)})
       settings mutations_sync = 1`,
      { workspace: workspaceId, erased: erased.map(BigInt) },
    ),
  /** Removes all rows of workspaces. */
  empty: (workspaces: readonly string[]): Promise<void> =>
    eventStore.command(
      'alter table profile_owners delete where workspace_id in {workspaces:Array(String)} settings mutations_sync = 1',
      { workspaces },
    ),
})

export type OwnersProjectionDeps = {
  db: Kysely<Database>
  eventStore: Pick<EventStore, 'query' | 'insert' | 'command'>
  logger: Logger
  /** Polling interval, in ms. */
  everyMs?: number
}

export type OwnersProjection = {
  start(): void
  /** Writes the changes of all ledgers to the event store. Rejects while one of the two stores is unavailable. */
  catchUp(): Promise<void>
  /** Resolves when no work is running. */
  stop(): Promise<void>
}

/** Maximum rows per insert, unless a single workspace has more. */
const insertRows = 5000
/**
 * Maximum ledger entries without changes that are read before the position is recorded. Reading such entries again is
 * cheap.
 */
const quietEntries = 20_000
/** How long the cached progress is valid, in ms. The event store may lose its data meanwhile. */
const trustMs = 60_000

/**
 * For each workspace, the position up to which its ledger was read, and the position that is recorded in the event
 * store.
 */
type Places = Map<string, { sequence: number; written: number }>

type OwnersTable = ReturnType<typeof createOwnersTable>

/** Reads the progress from the event store, and removes rows that belong to no current ledger. */
const readPlaces = async (
  { db, logger }: OwnersProjectionDeps,
  table: OwnersTable,
  ledgers: ReadonlyMap<string, number>,
): Promise<Places> => {
  const written = await table.places()
  const marks = await readMarks(db, new Map(written.map(({ id, place }) => [id, place])))
  const right = written.filter(({ id, mark }) => ledgers.has(id) && marks.get(id) === mark)
  const known = new Set(right.map(({ id }) => id))
  const others = written.map(({ id }) => id).filter((id) => !known.has(id))
  if (others.length > 0) {
    logger.info({ workspaces: others.length }, 'profile owners of stored events are rebuilt')
    await table.empty(others)
  }
  return new Map(right.map(({ id, place }) => [id, { sequence: place, written: place }]))
}

const insert = async (table: OwnersTable, known: Places, pages: ReadonlyMap<string, Changes>): Promise<void> => {
  await table.insert(pages)
  for (const [id, { through }] of pages) known.set(id, { sequence: through.sequence, written: through.sequence })
}

/** Writes the changes of one page of each ledger that has new entries; returns true if there are more entries. */
const projectPages = async (
  db: Kysely<Database>,
  table: OwnersTable,
  known: Places,
  ledgers: ReadonlyMap<string, number>,
  signal: AbortSignal,
): Promise<boolean> => {
  let pages = new Map<string, Changes>()
  let rows = 0
  for (const [id, length] of ledgers) {
    const { sequence, written } = known.get(id) ?? { sequence: 0, written: 0 }
    if (sequence >= length || signal.aborted) continue
    const changes = await readChanges(db, id, sequence)
    if (changes === undefined) {
      known.set(id, { sequence: length, written })
      continue
    }
    const { joined, erased, through } = changes
    if (erased.length > 0) await table.erase(id, erased)
    if (joined.length === 0 && through.sequence - written < quietEntries) {
      known.set(id, { sequence: through.sequence, written })
      continue
    }
    pages.set(id, changes)
    rows += joined.length + 1
    if (rows < insertRows) continue
    await insert(table, known, pages)
    pages = new Map()
    rows = 0
  }
  if (pages.size > 0) await insert(table, known, pages)
  return [...ledgers].some(([id, length]) => (known.get(id)?.sequence ?? 0) < length)
}

/**
 * Maintains the table `profile_owners` of the event store, which contains the current profile of identifiers that
 * joined or left a profile. The projection follows the ledgers asynchronously, and continues where it stopped when the
 * event store was unavailable. The table also contains the progress, so a lost table is rebuilt. Rows from a different
 * ledger (after a restore of the database) are removed first. Each row contains the length of its ledger, so a later
 * merge or split wins, whichever process writes last.
 */
export const createOwnersProjection = (deps: OwnersProjectionDeps): OwnersProjection => {
  const { db, logger, everyMs = 2000 } = deps
  const table = createOwnersTable(deps.eventStore)
  const stopping = new AbortController()
  const { signal } = stopping
  let places: Places | undefined
  let trustedUntil = 0
  let running: Promise<void> = Promise.resolve()

  const catchUpNow = async (): Promise<void> => {
    try {
      const ledgers = await readLedgers(db)
      if (places === undefined || performance.now() > trustedUntil) {
        places = await readPlaces(deps, table, ledgers)
        trustedUntil = performance.now() + trustMs
      }
      while (!signal.aborted && (await projectPages(db, table, places, ledgers, signal)));
    } catch (error) {
      // Without cached positions, the next run reads the progress again.
      places = undefined
      throw error
    }
  }

  /** Runs one projection at a time. */
  const catchUp = (): Promise<void> => {
    const next = running.then(catchUpNow)
    running = next.catch(() => {})
    return next
  }

  const pause = (ms: number): Promise<void> => sleep(ms, undefined, { signal }).catch(() => {})

  const follow = async (): Promise<void> => {
    let failures = 0
    while (!signal.aborted) {
      try {
        await catchUp()
        failures = 0
        await pause(everyMs)
      } catch (error) {
        failures += 1
        if (failures === 1)
          logger.warn({ err: error }, 'profile owners of stored events cannot be updated; trying again')
        await pause(everyMs + backoffMs(retryPolicies.consumer, failures))
      }
    }
  }

  let following: Promise<void> | undefined
  return {
    start() {
      following ??= follow()
    },
    catchUp,
    async stop() {
      stopping.abort()
      await following
      await running
    },
  }
}
