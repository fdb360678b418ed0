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
  testOf,
} from '@tributary/connector-kit'
import { objectsOfRows } from './changes.ts'
import { type BucketObject, bodyOf, folderOf, objectsOf } from './objects.ts'
import type { S3Settings } from './settings.ts'
import { changeObject } from './storage.ts'

type Written = { object: BucketObject; failure: DeliveryError | undefined; latencyMs: number }

const write = async (object: BucketObject, context: DeliverContext<S3Settings>): Promise<Written> => {
  try {
    const { body, type } = await bodyOf(object, context.settings)
    const { answer } = await changeObject(context, 'PUT', object.key, body, type)
    return { object, failure: undefined, latencyMs: answer.latencyMs }
  } catch (error) {
    if (!(error instanceof DeliveryError)) throw error
    return { object, failure: error, latencyMs: error.exchange?.latencyMs ?? 0 }
  }
}

const outcomeOf = (failure: DeliveryError | undefined): EventOutcome => {
  if (failure === undefined) return { kind: 'delivered' }
  const reason = failure.message
  if (failure instanceof RejectedError) return { kind: 'rejected', reason }
  const retryAfterMs = failure instanceof RetryableError ? failure.retryAfterMs : undefined
  return { kind: 'retry', reason, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) }
}

/**
 * Writes objects one after the other, and returns an outcome for each of `count` items of the batch. `known` are the
 * outcomes of items that are in no object.
 */
const writeAll = async (
  objects: readonly BucketObject[],
  count: number,
  known: ReadonlyMap<number, EventOutcome>,
  context: DeliverContext<S3Settings>,
): Promise<DeliverResult> => {
  const written: Written[] = []
  for (const object of objects) written.push(await write(object, context))
  const failed = written.find(({ failure }) => failure !== undefined)?.failure
  if (failed !== undefined && known.size === 0 && written.every(({ failure }) => failure !== undefined)) throw failed
  const outcomes = Array.from({ length: count }, (_, index): EventOutcome => known.get(index) ?? { kind: 'delivered' })
  for (const { object, failure } of written) for (const index of object.indexes) outcomes[index] = outcomeOf(failure)
  const latencyMs = written.reduce((sum, each) => sum + each.latencyMs, 0)
  const { exchange } = failed ?? {}
  if (exchange === undefined) return { outcomes, httpStatus: written.length === 0 ? 0 : 200, latencyMs }
  const { httpStatus, request, response } = exchange
  return { outcomes, httpStatus, latencyMs, request, response }
}

/**
 * Writes a batch as one object for each hour of receipt. If all fail, it rejects with the first error; otherwise the
 * events of the failed objects are sent again.
 */
export const deliver = (batch: readonly OutgoingEvent[], context: DeliverContext<S3Settings>): Promise<DeliverResult> =>
  writeAll(objectsOf(batch, context.settings), batch.length, new Map(), context)

/**
 * Writes changes of rows as one object for each run, like `deliver` for events. Rows that cannot be written are
 * rejected.
 */
export const deliverRows = (
  batch: readonly OutgoingRow[],
  context: DeliverContext<S3Settings>,
): Promise<DeliverResult> => {
  const { objects, refused } = objectsOfRows(batch, context.settings, context.clock())
  return writeAll(objects, batch.length, refused, context)
}

/** Writes a small object to the folder for events, and deletes the object; reports both results. */
export const testConnection = (context: DeliverContext<S3Settings>): Promise<ConnectionTest> =>
  testOf(async () => {
    const key = `${folderOf(context.settings)}.tributary-test`
    const place = `${key} in the bucket ${context.settings.bucket}`
    await changeObject(context, 'PUT', key, Buffer.from('Written by Tributary to test the connection.\n'), 'text/plain')
    try {
      await changeObject(context, 'DELETE', key)
      return { ok: true, message: `The object ${place} was written and deleted.` }
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error
      return {
        ok: true,
        message: `The object ${place} was written. It was not deleted because the user lacks permission.`,
      }
    }
  })
