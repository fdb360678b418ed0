import { setTimeout as sleep } from 'node:timers/promises'
import { backoffMs, type Logger, retryPolicies } from '@tributary/kernel'
import type { Database, EventStore } from '@tributary/storage'
import type { Kysely } from 'kysely'
import { type Changes, readChanges, readLedgers, readMarks } from './changes.ts'
import { createOwnersTable } from './table.ts'

export type OwnersProjectionDeps = {
  db: Kysely<Database>
  eventStore: Pick<EventStore, 'query' | 'insert' | 'command'>
  logger: Logger
  /** How often it looks for news, ms. */
  everyMs?: number
}

export type OwnersProjection = {
  start(): void
  /** Brings what is in the ledgers now to the event store. Rejects while one of both is away. */
  catchUp(): Promise<void>
  /** Resolves when nothing of it runs. */
  stop(): Promise<void>
}

/** Rows that are inserted at once, unless one workspace alone has more. */
const insertRows = 5000
/** Entries of a ledger that may say nothing new before their place is written down: to read them again costs little. */
const quietEntries = 20_000
/** How long it relies on what it knows of the event store, which might have lost it, ms. */
const trustMs = 60_000

/** How far the event store is, by workspace: the place that is known, and the one that is written down there. */
type Places = Map<string, { sequence: number; written: number }>

/**
 * Keeps the table `profile_owners` of the event store, which says of the identifiers of events that joined or left a profile in
 * which they are. It follows the ledgers in steps of its own: nobody waits for it, and it goes on where it was when the
 * event store was away. How far it is stands in the table itself, so that a lost table is made anew; one that is of
 * another ledger (a database was restored) is emptied first. Rows carry the length of the ledger that they are true for: those of
 * a later merge or split hold, whoever writes last.
 */
export const createOwnersProjection = ({
  db,
  eventStore,
  logger,
  everyMs = 2000,
}: OwnersProjectionDeps): OwnersProjection => {
  const table = createOwnersTable(eventStore)
  const stopping = new AbortController()
  let places: Places | undefined
  let trustedUntil = 0
  let running: Promise<void> = Promise.resolve()

  /** What the event store has; what belongs to no ledger of now is removed from it. */
  const readPlaces = async (ledgers: ReadonlyMap<string, number>): Promise<Places> => {
    const written = await table.places()
    const marks = await readMarks(db, new Map(written.map(({ id, place }) => [id, place])))
    const right = written.filter(({ id, mark }) => ledgers.has(id) && marks.get(id) === mark)
    const known = new Set(right.map(({ id }) => id))
    const others = written.map(({ id }) => id).filter((id) => !known.has(id))
    if (others.length > 0) {
      logger.info({ workspaces: others.length }, 'Profiles of stored events are made anew')
      await table.empty(others)
    }
    return new Map(right.map(({ id, place }) => [id, { sequence: place, written: place }]))
  }

  const insert = async (known: Places, pages: ReadonlyMap<string, Changes>): Promise<void> => {
    await table.insert(pages)
    for (const [id, { through }] of pages) known.set(id, { sequence: through.sequence, written: through.sequence })
  }

  /** One page of each ledger that is ahead; true when there is more. */
  const round = async (known: Places, ledgers: ReadonlyMap<string, number>): Promise<boolean> => {
    let pages = new Map<string, Changes>()
    let rows = 0
    for (const [id, length] of ledgers) {
      const { sequence, written } = known.get(id) ?? { sequence: 0, written: 0 }
      if (sequence >= length || stopping.signal.aborted) continue
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
      await insert(known, pages)
      pages = new Map()
      rows = 0
    }
    if (pages.size > 0) await insert(known, pages)
    return [...ledgers].some(([id, length]) => (known.get(id)?.sequence ?? 0) < length)
  }

  const catchUpNow = async (): Promise<void> => {
    try {
      const ledgers = await readLedgers(db)
      if (places === undefined || performance.now() > trustedUntil) {
        places = await readPlaces(ledgers)
        trustedUntil = performance.now() + trustMs
      }
      while (!stopping.signal.aborted && (await round(places, ledgers)));
    } catch (error) {
      // Whatever was written is found there.
      places = undefined
      throw error
    }
  }

  /** One at a time. */
  const catchUp = (): Promise<void> => {
    const next = running.then(catchUpNow)
    running = next.catch(() => {})
    return next
  }

  const pause = (ms: number): Promise<void> => sleep(ms, undefined, { signal: stopping.signal }).catch(() => {})

  const follow = async (): Promise<void> => {
    let failures = 0
    while (!stopping.signal.aborted) {
      try {
        await catchUp()
        failures = 0
        await pause(everyMs)
      } catch (error) {
        failures += 1
        if (failures === 1)
          logger.warn({ err: error }, 'Profiles of stored events cannot be brought up to date; it is tried again')
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
