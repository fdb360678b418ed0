import type { Db, Tx } from '@tributary/api-kit'
import type { AudienceProgress } from '@tributary/contract'
import { AppError, badRequest } from '@tributary/kernel'
import { createQuerySlots, type EventStore } from '@tributary/storage'
import { CompiledQuery, sql } from 'kysely'
import type { CompiledAudience } from './compile.ts'
import { type EventsStatement, type ProfilesStatement, setLimit, storeStatements } from './sql-builder.ts'

/** The workspace for which an audience is evaluated, and the limits of the evaluation. */
export type EvaluateOptions = {
  workspaceId: string
  slot: 'short' | 'heavy'
  signal: AbortSignal
  /**
   * Receives the current step, and its finished share if it can be counted. The evaluation continues when the promise
   * resolves.
   */
  onProgress?: (progress: AudienceProgress) => Promise<void> | void
}

/**
 * A statement that is appended to the text of a `ProfilesStatement` and reads its `members`, with parameters of its
 * own. `before` runs first in the same transaction.
 */
export type MembersStatement = { text: string; params?: readonly unknown[]; before?: (tx: Tx) => Promise<void> }

/** Evaluates compiled audiences in both stores, within limits of time and concurrency. */
export type Evaluation = {
  /**
   * Evaluates a compiled audience, reads the members with `ask`, and passes the rows to `settle` in the same
   * transaction. Throws 400 `QUERY_TOO_LARGE` for a query beyond the limits, and 429 while the workspace waits for its
   * own queries. If the caller cancels, both stores end the evaluation.
   */
  run<Row, Result>(
    compiled: CompiledAudience,
    ask: MembersStatement,
    settle: (tx: Tx, rows: readonly Row[]) => Promise<Result>,
    options: EvaluateOptions,
  ): Promise<Result>
  /**
   * Runs `work` in the relational store within the same limits as an evaluation. Throws `tooLong` if the work takes
   * longer.
   */
  inPlace<Result>(work: (tx: Tx) => Promise<Result>, options: EvaluateOptions, tooLong: () => Error): Promise<Result>
}

/** Timeouts of the relational store, ms. */
const timeouts = { short: 15_000, heavy: 50_000 } as const

const tooLarge = (): AppError =>
  badRequest('QUERY_TOO_LARGE', 'This audience has too many profiles to look at. Choose shorter times or rarer events')

/**
 * Sets of profiles: the size of each set, and the profiles in chunks. A chunk has the text of each column by the name
 * of the column.
 */
export type ProfileSets = { sizes: readonly number[]; chunks: readonly Readonly<Record<string, string>>[] }

/** The sets for an audience without conditions on events. */
export const noSets: ProfileSets = { sizes: [], chunks: [] }

/** Runs a statement of the event store and returns its sets. Throws 400 if they are too large. */
export const runEvents = async (
  eventStore: Pick<EventStore, 'query'>,
  { text, params, sets }: EventsStatement,
  { workspaceId, slot, signal, onProgress }: EvaluateOptions,
): Promise<ProfileSets> => {
  const rows = await eventStore.query<Record<string, string | number>>(text, params, {
    owner: workspaceId,
    slot,
    signal,
    ...(onProgress && { onProgress: ({ read, total }) => void onProgress({ step: 'events', share: read / total }) }),
  })
  const sizes = Array.from({ length: sets }, (_, index) =>
    rows.reduce((size, row) => size + Number(row[`size_${index}`]), 0),
  )
  if (sizes.some((size) => size > setLimit)) throw tooLarge()
  const chunks = rows.map((row) =>
    Object.fromEntries(Object.entries(row).filter((entry): entry is [string, string] => typeof entry[1] === 'string')),
  )
  return { sizes, chunks }
}

/**
 * Maximum number of profiles whose traits are looked up one by one, at about 15 µs each. A scan of all traits takes 0.3
 * s for 200,000 profiles.
 */
const fewProfiles = 20_000

/**
 * Joins a `ProfilesStatement` and the statement `ask` into one query, and fills in the last chunk of the sets. If there
 * are several chunks, call `storeSets` before the query, in the same transaction.
 */
export const profilesQuery = (
  { text, most, params }: ProfilesStatement,
  { sizes, chunks }: ProfileSets,
  ask: Pick<MembersStatement, 'text' | 'params'>,
): CompiledQuery => {
  const last = chunks.at(-1)
  const own = params.map((each) =>
    typeof each === 'object' && 'column' in each ? (last?.[each.column] ?? '{}') : each,
  )
  const asked = ask.text.replace(/\$(\d+)/g, (_, number: string) => `$${own.length + Number(number)}`)
  const form = { few: most(sizes) <= fewProfiles, stored: chunks.length > 1 }
  return CompiledQuery.raw(`${text(form)} ${asked}`, [...own, ...(ask.params ?? [])])
}

/**
 * Stores all chunks of the sets for `profilesQuery`, except the last one. A single statement with a million profiles
 * would occupy its thread for 100 ms. Each statement is passed to `run`, which may cancel the statement.
 */
export const storeSets = async (
  tx: Tx,
  { chunks }: ProfileSets,
  run: (query: () => Promise<unknown>) => Promise<unknown> = (query) => query(),
): Promise<void> => {
  const [first, ...others] = chunks
  if (first === undefined || others.length === 0) return
  const { create, add } = storeStatements(Object.keys(first).length)
  await run(() => tx.executeQuery(CompiledQuery.raw(create)))
  for (const chunk of chunks.slice(0, -1))
    await run(() => tx.executeQuery(CompiledQuery.raw(add, Object.values(chunk))))
}

/** Runs a statement on a connection of the relational store. The statement is canceled when the signal aborts. */
const endedBy = async <Result>(
  db: Db,
  signal: AbortSignal,
  pid: number,
  run: () => Promise<Result>,
): Promise<Result> => {
  let ending: Promise<unknown> = Promise.resolve()
  const end = (): void => {
    // If the cancellation fails, the statement ends at its timeout.
    ending = sql`select pg_cancel_backend(${pid}::int)`.execute(db).catch(() => {})
  }
  signal.throwIfAborted()
  signal.addEventListener('abort', end, { once: true })
  try {
    return await run()
  } finally {
    signal.removeEventListener('abort', end)
    // The next statement on this connection belongs to another caller, so wait for the cancellation.
    await ending
  }
}

/**
 * Creates the evaluation. The relational store evaluates two audiences at a time, at most one per workspace, because
 * all callers share the connections. The event store has its own queues.
 */
export const createEvaluation = ({ db, eventStore }: { db: Db; eventStore: Pick<EventStore, 'query'> }): Evaluation => {
  const slots = createQuerySlots([1, 2], {
    perKey: 1,
    maxQueue: 200,
    maxQueuePerKey: 20,
    maxWaitMs: 30_000,
    refuse: (_, own) =>
      own
        ? new AppError(
            429,
            'WORKSPACE_BUSY',
            'This workspace has too many audiences to compute. Try again in a moment',
            {
              retry_after: '2',
            },
          )
        : new AppError(503, 'UNAVAILABLE', 'Too many audiences are being computed. Try again in a moment', {
            retry_after: '2',
          }),
  })
  /** Runs work in a transaction. Statements of `run` are canceled when the signal aborts. */
  const bounded = async <Result>(
    work: (tx: Tx, run: <Rows>(query: () => Promise<Rows>) => Promise<Rows>) => Promise<Result>,
    { slot, signal }: EvaluateOptions,
    tooLong: () => Error,
  ): Promise<Result> => {
    try {
      return await db.transaction().execute(async (tx) => {
        // This setting lets sorting and hashing of 200,000 profiles stay in memory.
        const { rows: own } = await sql<{ pid: number }>`
          select set_config('statement_timeout', ${String(timeouts[slot])}, true),
            set_config('work_mem', '32MB', true), pg_backend_pid() as pid`.execute(tx)
        return await work(tx, (query) => endedBy(db, signal, own[0]?.pid ?? 0, query))
      })
    } catch (error) {
      signal.throwIfAborted()
      // The statement was canceled by its timeout.
      throw error instanceof Error && 'code' in error && error.code === '57014' ? tooLong() : error
    }
  }
  return {
    inPlace: (work, options, tooLong) =>
      slots.run(options.workspaceId, options.signal, () => bounded((tx, run) => run(() => work(tx)), options, tooLong)),
    async run<Row, Result>(
      { events, profiles }: CompiledAudience,
      ask: MembersStatement,
      settle: (tx: Tx, rows: readonly Row[]) => Promise<Result>,
      options: EvaluateOptions,
    ) {
      const { workspaceId, signal, onProgress } = options
      return await slots.run(workspaceId, signal, async () => {
        if (events !== undefined) await onProgress?.({ step: 'events', share: null })
        const sets = events === undefined ? noSets : await runEvents(eventStore, events, options)
        signal.throwIfAborted()
        await onProgress?.({ step: 'profiles', share: null })
        return await bounded(
          async (tx, run) => {
            await ask.before?.(tx)
            await storeSets(tx, sets, run)
            const query = profilesQuery(profiles, sets, ask) as CompiledQuery<Row>
            const { rows } = await run(() => tx.executeQuery<Row>(query))
            return await settle(tx, rows)
          },
          options,
          tooLarge,
        )
      })
    },
  }
}
