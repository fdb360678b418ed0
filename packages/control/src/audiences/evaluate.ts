import type { Db, Tx } from '@tributary/api-kit'
import { AppError, badRequest } from '@tributary/kernel'
import { createQuerySlots, type EventStore } from '@tributary/storage'
import { CompiledQuery, sql } from 'kysely'
import type { CompiledAudience } from './compile.ts'
import { type EventsStatement, type ProfilesStatement, setLimit } from './fragments.ts'

/** For whom an audience is evaluated, and how long it may take. */
export type EvaluateOptions = { workspaceId: string; slot: 'short' | 'heavy'; signal: AbortSignal }

/** What follows the statement of profiles and reads `members`, with its parameters; `before` runs first in the same transaction. */
export type Ask = { text: string; params?: readonly unknown[]; before?: (tx: Tx) => Promise<void> }

/** Evaluates compiled audiences: what both stores answer, within bounds. */
export type Evaluation = {
  /**
   * Runs `ask`, which follows the statement of profiles and reads `members`, in a transaction, and then what `settle` makes of
   * its rows. Throws 400 `QUERY_TOO_LARGE` for what takes more than one may, 429 when the workspace waits for its own.
   */
  run<Row, Result>(
    compiled: CompiledAudience,
    ask: Ask,
    settle: (tx: Tx, rows: readonly Row[]) => Promise<Result>,
    options: EvaluateOptions,
  ): Promise<Result>
}

/** ms that the relational store may take. */
const timeouts = { short: 15_000, heavy: 50_000 } as const

const tooLarge = (): AppError =>
  badRequest('QUERY_TOO_LARGE', 'This audience has too many profiles to look at. Choose shorter times or rarer events')

/** The sets that a statement of the event store answers, each as the text of a list. Throws 400 for one that is too large. */
export const runEvents = async (
  eventStore: Pick<EventStore, 'query'>,
  { text, params, sets }: EventsStatement,
  { workspaceId, slot, signal }: EvaluateOptions,
): Promise<string[]> => {
  const rows = await eventStore.query<Record<string, string | number>>(text, params, {
    owner: workspaceId,
    slot,
    signal,
  })
  return Array.from({ length: sets }, (_, index) => {
    const row = rows[0] ?? {}
    if (Number(row[`size_${index}`]) > setLimit) throw tooLarge()
    return String(row[`set_${index}`] ?? '{}')
  })
}

/** The statement with its parameters, the sets among them, and those of what is asked behind. */
export const profilesQuery = (
  { text, params }: ProfilesStatement,
  sets: readonly string[],
  ask: Pick<Ask, 'text' | 'params'>,
): CompiledQuery => {
  const own = params.map((each) => (typeof each === 'object' && 'set' in each ? (sets[each.set] ?? '{}') : each))
  const asked = ask.text.replace(/\$(\d+)/g, (_, number: string) => `$${own.length + Number(number)}`)
  return CompiledQuery.raw(`${text} ${asked}`, [...own, ...(ask.params ?? [])])
}

/**
 * The relational store evaluates two audiences at a time, and of a workspace one: the connections are everybody's. The event
 * store has queues of its own.
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
  return {
    async run<Row, Result>(
      { events, profiles }: CompiledAudience,
      ask: Ask,
      settle: (tx: Tx, rows: readonly Row[]) => Promise<Result>,
      options: EvaluateOptions,
    ) {
      const { workspaceId, slot, signal } = options
      return await slots.run(workspaceId, signal, async () => {
        const sets = events === undefined ? [] : await runEvents(eventStore, events, options)
        signal.throwIfAborted()
        try {
          return await db.transaction().execute(async (tx) => {
            await sql`select set_config('statement_timeout', ${String(timeouts[slot])}, true)`.execute(tx)
            await ask.before?.(tx)
            const { rows } = await tx.executeQuery<Row>(profilesQuery(profiles, sets, ask) as CompiledQuery<Row>)
            return await settle(tx, rows)
          })
        } catch (error) {
          // Canceled by the time it may take.
          throw error instanceof Error && 'code' in error && error.code === '57014' ? tooLarge() : error
        }
      })
    },
  }
}
