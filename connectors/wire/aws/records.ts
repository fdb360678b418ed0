import {
  type DeliverContext,
  type DeliverResult,
  DeliveryError,
  type EventOutcome,
  isJsonObject,
  type OutgoingEvent,
  RetryableError,
} from '@tributary/connector-kit'
import { type GroupItem, groupsWithin, sendGroups } from '../access/send-groups.ts'
import { type AwsService, callAws, isTemporary } from './call.ts'
import type { AwsAccess } from './settings.ts'

/** A record of a request, and its bytes as the service counts them. */
export type AwsRecord = { readonly value: Readonly<Record<string, unknown>>; readonly bytes: number }

/** An operation that writes several records. */
type RecordsOperation<S extends AwsAccess> = {
  service: AwsService
  operation: string
  /** The limits of the service: records and bytes of a request, and bytes of a record. */
  limits: { records: number; bytes: number; recordBytes: number }
  record: (event: OutgoingEvent, settings: S) => AwsRecord
  input: (records: readonly AwsRecord['value'][], settings: S) => Readonly<Record<string, unknown>>
  /** Returns an outcome for each of the records. Throws RetryableError if the response has another form. */
  outcomes: (output: Readonly<Record<string, unknown>>, count: number) => EventOutcome[]
}

/** Returns the outcome of a record with this error code. */
export const outcomeOfCode = (code: string, message: unknown, isOfContent: boolean): EventOutcome => {
  const reason = typeof message === 'string' && message !== '' ? `${code}: ${message}` : code
  if (isTemporary(code)) return { kind: 'retry', reason }
  return isOfContent ? { kind: 'rejected', reason } : { kind: 'retry', reason, misconfigured: true }
}

/**
 * Returns the outcome of each record from a list of results in the order of the request. A record is delivered only if
 * its result has the ID that the service gave it.
 */
export const outcomesInOrder = (
  results: unknown,
  count: number,
  { id, content = new Set<string>() }: { id: string; content?: ReadonlySet<string> },
): EventOutcome[] => {
  if (!Array.isArray(results) || results.length !== count)
    throw new RetryableError('The response does not have a result for each record')
  return results.map((result: unknown): EventOutcome => {
    const { ErrorCode: code, ErrorMessage: message, [id]: given } = isJsonObject(result) ? result : {}
    if (typeof code === 'string' && code !== '') return outcomeOfCode(code, message, content.has(code))
    if (typeof given === 'string' && given !== '') return { kind: 'delivered' }
    return { kind: 'retry', reason: 'The response does not name an ID for the record' }
  })
}

/**
 * Creates the delivery of events as records of an operation. Records that a response accepts are never sent again.
 * Records over a limit are rejected without a request. After a failed request, the records of further requests wait.
 */
export const deliverRecords =
  <S extends AwsAccess>(made: RecordsOperation<S>) =>
  async (batch: readonly OutgoingEvent[], context: DeliverContext<S>): Promise<DeliverResult> => {
    const { settings } = context
    const { recordBytes, ...limits } = made.limits
    const refused = new Map<number, EventOutcome>()
    const items = batch.flatMap((event, index): GroupItem<AwsRecord['value']>[] => {
      const { value, bytes } = made.record(event, settings)
      if (bytes <= recordBytes) return [{ index, bytes, value }]
      const reason = `The event has ${bytes} bytes, and at most ${recordBytes} are allowed`
      refused.set(index, { kind: 'rejected', reason })
      return []
    })
    const groups = groupsWithin(items, { items: limits.records, bytes: limits.bytes })
    const send = async (values: readonly AwsRecord['value'][]) => {
      const { call, output } = await callAws(context, made.service, made.operation, made.input(values, settings))
      try {
        return { call, outcomes: made.outcomes(output, values.length) }
      } catch (error) {
        throw error instanceof DeliveryError ? error.withExchange(call.exchange()) : error
      }
    }
    return await sendGroups({ count: batch.length, refused, groups, send })
  }
