import {
  ConfigurationError,
  type ConnectionTest,
  type DeliverContext,
  type DeliverResult,
  DeliveryError,
  type EventOutcome,
  type OutgoingEvent,
  RejectedError,
  RetryableError,
  testOf,
} from '@tributary/connector-kit'
import { bodyOf, type EventObject, folderOf, objectsOf } from './objects.ts'
import type { S3Settings } from './settings.ts'
import { changeObject } from './storage.ts'

type Written = { object: EventObject; failure: DeliveryError | undefined; latencyMs: number }

const write = async (object: EventObject, context: DeliverContext<S3Settings>): Promise<Written> => {
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
 * Writes a batch as one object for each hour of receipt, one after the other. When none could be written, it rejects as the
 * first did; else the events of those that failed are to be sent again.
 */
export const deliver = async (
  batch: readonly OutgoingEvent[],
  context: DeliverContext<S3Settings>,
): Promise<DeliverResult> => {
  const written: Written[] = []
  for (const object of objectsOf(batch, context.settings)) written.push(await write(object, context))
  const failed = written.find(({ failure }) => failure !== undefined)?.failure
  if (failed !== undefined && written.every(({ failure }) => failure !== undefined)) throw failed
  const outcomes: EventOutcome[] = batch.map(() => ({ kind: 'delivered' }))
  for (const { object, failure } of written) for (const index of object.indexes) outcomes[index] = outcomeOf(failure)
  const latencyMs = written.reduce((sum, each) => sum + each.latencyMs, 0)
  const { exchange } = failed ?? {}
  if (exchange === undefined) return { outcomes, httpStatus: 200, latencyMs }
  const { httpStatus, request, response } = exchange
  return { outcomes, httpStatus, latencyMs, request, response }
}

/** Writes a small object where events will be, and takes it away again; says both. */
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
