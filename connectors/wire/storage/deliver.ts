import {
  ConfigurationError,
  type ConnectionTest,
  type DeliverContext,
  type DeliverResult,
  DeliveryError,
  type EventOutcome,
  type OutgoingEvent,
  type OutgoingRow,
  RejectedError,
  RetryableError,
  type Settings,
  testOf,
} from '@tributary/connector-kit'
import { filesOfRows } from './changes.ts'
import { bodyOf, filesOf, folderOf, type StoredFile } from './files.ts'
import type { StorageSettings } from './settings.ts'

/** How to write to a storage. All reject with a DeliveryError; a RejectedError is about the content of the file. */
export type FileStorage<S extends Settings & StorageSettings> = {
  /** What a file is called there, such as `object`. */
  file: string
  /** The place of files, for users, such as `in the bucket events`. */
  place: (settings: S) => string
  /** Writes or overwrites a file as a whole: no reader sees a part of it. */
  put: (context: DeliverContext<S>, key: string, body: Uint8Array, type: string) => Promise<{ latencyMs: number }>
  remove: (context: DeliverContext<S>, key: string) => Promise<unknown>
  /** The name of a file for users, if it is not the key. */
  nameOf?: (settings: S, key: string) => string
  /** The HTTP status of a successful delivery. */
  status: number
}

type Written = { file: StoredFile; failure: DeliveryError | undefined; latencyMs: number }

const outcomeOf = (failure: DeliveryError | undefined): EventOutcome => {
  if (failure === undefined) return { kind: 'delivered' }
  const reason = failure.message
  if (failure instanceof RejectedError) return { kind: 'rejected', reason }
  const retryAfterMs = failure instanceof RetryableError ? failure.retryAfterMs : undefined
  return { kind: 'retry', reason, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) }
}

const write = async <S extends Settings & StorageSettings>(
  { put }: FileStorage<S>,
  file: StoredFile,
  context: DeliverContext<S>,
): Promise<Written> => {
  try {
    const { body, type } = await bodyOf(file, context.settings)
    const { latencyMs } = await put(context, file.key, body, type)
    return { file, failure: undefined, latencyMs }
  } catch (error) {
    if (!(error instanceof DeliveryError)) throw error
    return { file, failure: error, latencyMs: error.exchange?.latencyMs ?? 0 }
  }
}

/**
 * Writes files one after the other, and returns an outcome for each of `count` items of the batch. `known` are the
 * outcomes of items that are in no file.
 */
const writeAll = async <S extends Settings & StorageSettings>(
  storage: FileStorage<S>,
  files: readonly StoredFile[],
  { count, known }: { count: number; known: ReadonlyMap<number, EventOutcome> },
  context: DeliverContext<S>,
): Promise<DeliverResult> => {
  const written: Written[] = []
  for (const file of files) written.push(await write(storage, file, context))
  const failed = written.find(({ failure }) => failure !== undefined)?.failure
  if (failed !== undefined && known.size === 0 && written.every(({ failure }) => failure !== undefined)) throw failed
  const outcomes = Array.from({ length: count }, (_, index): EventOutcome => known.get(index) ?? { kind: 'delivered' })
  for (const { file, failure } of written) for (const index of file.indexes) outcomes[index] = outcomeOf(failure)
  const latencyMs = written.reduce((sum, each) => sum + each.latencyMs, 0)
  const { exchange } = failed ?? {}
  if (exchange === undefined) return { outcomes, httpStatus: written.length === 0 ? 0 : storage.status, latencyMs }
  const { httpStatus, request, response } = exchange
  return { outcomes, httpStatus, latencyMs, request, response }
}

/**
 * Creates the functions of a destination that writes files.
 * - `deliver` writes a batch as one file for each hour of receipt. If all fail, it rejects with the first error.
 *   Otherwise, only the events of the failed files are sent again.
 * - `deliverRows` writes changes of rows as one file for each run. Rows that cannot be written are rejected.
 * - `testConnection` writes a small file to the folder for events, and deletes it; reports both results.
 */
export const createFileDelivery = <S extends Settings & StorageSettings>(storage: FileStorage<S>) => ({
  deliver: (batch: readonly OutgoingEvent[], context: DeliverContext<S>): Promise<DeliverResult> =>
    writeAll(storage, filesOf(batch, context.settings), { count: batch.length, known: new Map() }, context),

  deliverRows: (batch: readonly OutgoingRow[], context: DeliverContext<S>): Promise<DeliverResult> => {
    const { files, refused } = filesOfRows(batch, context.settings, context.clock())
    return writeAll(storage, files, { count: batch.length, known: refused }, context)
  },

  testConnection: (context: DeliverContext<S>): Promise<ConnectionTest> =>
    testOf(async () => {
      const key = `${folderOf(context.settings)}.tributary-test`
      const { settings } = context
      const name = storage.nameOf?.(settings, key) ?? key
      const named = `The ${storage.file} ${name} ${storage.place(settings)}`
      await storage.put(context, key, Buffer.from('Written by Tributary to test the connection.\n'), 'text/plain')
      try {
        await storage.remove(context, key)
        return { ok: true, message: `${named} was written and deleted.` }
      } catch (error) {
        if (!(error instanceof ConfigurationError)) throw error
        return { ok: true, message: `${named} was written. It was not deleted because the user lacks permission.` }
      }
    }),
})
