import { setTimeout as pause } from 'node:timers/promises'
import type { Client } from 'pg'
import { connect, copy, isTimeout } from './connection.ts'
import { applyLog, compare, copyRows } from './copy.ts'
import { removeLeftovers } from './leftovers.ts'
import { prepareText } from './prepare.ts'
import { cancelAutovacuum, swap } from './swap.ts'
import { readShape, type Shape } from './table-shape.ts'

/** Steps of an online rewrite, in order. */
export const onlineSteps = [
  'prepared',
  'copied',
  'indexed',
  'compared',
  'closed',
  'applied',
  'before swap',
  'swapped',
] as const
export type OnlineStep = (typeof onlineSteps)[number]

export type OnlineOptions = {
  url: string
  /** Maximum time that other clients wait for the table, each time that it is closed, in ms. */
  maxClosedMs: number
  signal: AbortSignal
  /** Maximum number of attempted swaps while other transactions are in the way. Default 200. */
  swapTries?: number
  /** Called after each step. */
  onStep?: ((step: OnlineStep) => Promise<void> | void) | undefined
}

/** Why a table could not be rewritten; undefined if it was. */
export type Hindrance = string | undefined

const prepareTries = 10
const pauseMs = 300

/** Creates the copy, the log, and the triggers. Resolves to the reason if other clients hold the table all the time. */
const prepare = async (worker: Client, shape: Shape, { maxClosedMs, signal }: OnlineOptions): Promise<Hindrance> => {
  await worker.query(`set lock_timeout = ${maxClosedMs}`)
  for (let count = 1; ; count++) {
    signal.throwIfAborted()
    await cancelAutovacuum(worker, shape)
    try {
      await worker.query(prepareText(shape))
      break
    } catch (error) {
      await worker.query('rollback')
      if (!isTimeout(error)) throw error
      if (count === prepareTries)
        return `others held it for longer than ${maxClosedMs} ms, or a migration was under way`
    }
    await pause(pauseMs, undefined, { signal })
  }
  await worker.query('set lock_timeout = 0')
  return undefined
}

const rewrite = async (worker: Client, shape: Shape, options: OnlineOptions): Promise<Hindrance> => {
  const { signal, onStep } = options
  const hindrance = await prepare(worker, shape, options)
  if (hindrance !== undefined) return hindrance
  await onStep?.('prepared')
  await copyRows(worker, shape, signal)
  await onStep?.('copied')
  const createIndex = async ({ oid, unique, definition, prefix }: Shape['indexes'][number]): Promise<void> => {
    signal.throwIfAborted()
    await worker.query(`create ${unique ? 'unique ' : ''}index i_${oid} on ${copy} ${definition.slice(prefix.length)}`)
  }
  // Other unique indexes would be violated before the log is applied for the first time, because batches are from
  // different moments.
  for (const index of shape.indexes) if (index.isKey) await createIndex(index)
  // Forces access by the key, whatever size the planner expects of the log.
  await worker.query('set enable_hashjoin = off; set enable_mergejoin = off; set enable_seqscan = off')
  await applyLog(worker, shape)
  for (const index of shape.indexes) if (!index.isKey) await createIndex(index)
  await onStep?.('indexed')
  signal.throwIfAborted()
  await worker.query(`vacuum (analyze) ${copy}`)
  signal.throwIfAborted()
  await applyLog(worker, shape, async () => {
    await worker.query('set local enable_seqscan = on')
    await compare(worker, shape)
  })
  await onStep?.('compared')
  return await swap(worker, shape, options)
}

/** Cancels the current statement of a connection when the signal aborts. */
const cancelOnAbort = async (client: Client, url: string, signal: AbortSignal): Promise<() => void> => {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  const cancel = (): void => {
    const run = async (): Promise<void> => {
      const other = await connect(url, 'rewrite files: cancel')
      await other.query('select pg_cancel_backend($1)', [rows[0]?.pid]).finally(() => other.end())
    }
    // If this fails, the statement ends later.
    run().catch(() => {})
  }
  signal.addEventListener('abort', cancel, { once: true })
  return () => signal.removeEventListener('abort', cancel)
}

/**
 * Rewrites a table of any size while other clients read and write it. A copy in its own schema replaces the table at
 * the end. A trigger logs changed keys for the copy. Other clients wait for at most `maxClosedMs` each time that the
 * table is closed. If the table could not be rewritten, resolves to the reason; the table is then unchanged. The next
 * rewrite and the next start remove the remains of a killed rewrite. No row is lost or duplicated:
 * - All writers from before the trigger have ended at its commit. Each later change has its key in the log.
 * - A batch of the copy reads keys that no earlier batch has read.
 * - The log is applied from one snapshot of the log and the table, so the copy then equals the table at that moment.
 *   The rows are compared once.
 * - The last changes are applied while the table is closed, when the log is complete.
 * - The swap happens in the same closed time, and only if the log is empty. No row is hidden: unlike those of VACUUM
 *   FULL, the rows of the copy are new to older snapshots. So the swap waits until no transaction can read the table
 *   with a snapshot from before the last commit to the copy.
 *
 * @throws if the signal aborts, or for a failure that would occur again
 */
export const rewriteOnline = async (name: string, options: OnlineOptions): Promise<Hindrance> => {
  const { url, signal } = options
  const worker = await connect(url, 'rewrite files: copy')
  const stopListening = await cancelOnAbort(worker, url, signal)
  try {
    await removeLeftovers(worker, options)
    const shape = await readShape(worker, name)
    if (shape.reason !== null) return shape.reason
    return await rewrite(worker, shape, options)
  } catch (error) {
    signal.throwIfAborted()
    throw error
  } finally {
    stopListening()
    await worker.end().catch(() => {})
    const cleaner = await connect(url, 'rewrite files: clean')
    await removeLeftovers(cleaner, options).finally(() => cleaner.end())
  }
}
