import {
  type Call,
  createRefusedInRow,
  type DeliverContext,
  type DeliverResult,
  DeliveryError,
  type EventOutcome,
  type Exchange,
  failedOutcome,
  isJsonObject,
  type OutgoingEvent,
  RejectedError,
  RetryableError,
  waitingAlone,
} from '@tributary/connector-kit'
import { type AwsContext, type AwsService, callAws, isTemporary } from './call.ts'
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

type Item = { readonly index: number; readonly record: AwsRecord }

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

/** Returns groups of records within the limits of a request, in their order. */
const groupsOf = (items: readonly Item[], { records, bytes }: RecordsOperation<AwsAccess>['limits']): Item[][] => {
  const groups: Item[][] = []
  let size = 0
  for (const item of items) {
    const last = groups.at(-1)
    if (last === undefined || last.length >= records || size + item.record.bytes > bytes) {
      groups.push([item])
      size = item.record.bytes
    } else {
      last.push(item)
      size += item.record.bytes
    }
  }
  return groups
}

/** The state of one delivery. */
type Sending = {
  outcomes: (EventOutcome | undefined)[]
  latencyMs: number
  httpStatus: number
  failed?: Exchange
  refused: ReturnType<typeof createRefusedInRow>
  /** The outcome of the records that are not sent, after many refusals for one reason. */
  rest?: EventOutcome | undefined
}

/** Notes the outcomes of a request's records. */
const note = (sending: Sending, items: readonly Item[], outcomes: readonly EventOutcome[], exchange?: Exchange) => {
  for (const [at, { index }] of items.entries()) sending.outcomes[index] = outcomes[at]
  if (exchange !== undefined) sending.failed ??= exchange
}

const sendGroup = async <S extends AwsAccess>(
  context: AwsContext & { settings: S },
  made: RecordsOperation<S>,
  items: readonly Item[],
  sending: Sending,
): Promise<void> => {
  const { rest } = sending
  if (rest !== undefined)
    return note(
      sending,
      items,
      items.map(() => rest),
    )
  const { settings } = context
  const values = items.map(({ record }) => record.value)
  let call: Call | undefined
  try {
    const answered = await callAws(context, made.service, made.operation, made.input(values, settings))
    call = answered.call
    sending.latencyMs += call.answer.latencyMs
    sending.httpStatus = call.answer.status
    const outcomes = made.outcomes(answered.output, items.length)
    note(sending, items, outcomes, outcomes.every(({ kind }) => kind === 'delivered') ? undefined : call.exchange())
  } catch (error) {
    if (!(error instanceof DeliveryError)) throw error
    if (!(error instanceof RejectedError))
      throw error.exchange === undefined && call !== undefined ? error.withExchange(call.exchange()) : error
    if (items.length === 1) {
      const outcome = failedOutcome(error)
      sending.rest = sending.refused.note(outcome)
      return note(sending, items, [outcome], error.exchange)
    }
    const half = Math.ceil(items.length / 2)
    await sendGroup(context, made, items.slice(0, half), sending)
    await sendGroup(context, made, items.slice(half), sending)
  }
}

/**
 * Creates the delivery of events as records of an operation. Records that a response accepts are never sent again.
 * Records over a limit are rejected without a request. After a failed request, the records of further requests wait.
 */
export const deliverRecords =
  <S extends AwsAccess>(made: RecordsOperation<S>) =>
  async (batch: readonly OutgoingEvent[], context: DeliverContext<S>): Promise<DeliverResult> => {
    const outcomesOfBatch = batch.map(() => undefined)
    const refused = createRefusedInRow()
    const sending: Sending = { outcomes: outcomesOfBatch, latencyMs: 0, httpStatus: 0, refused }
    const { recordBytes } = made.limits
    const items = batch.flatMap((event, index): Item[] => {
      const record = made.record(event, context.settings)
      if (record.bytes <= recordBytes) return [{ index, record }]
      const reason = `The event has ${record.bytes} bytes, and at most ${recordBytes} are allowed`
      sending.outcomes[index] = { kind: 'rejected', reason }
      return []
    })
    for (const group of groupsOf(items, made.limits)) {
      try {
        await sendGroup(context, made, group, sending)
      } catch (error) {
        const failed = failedOutcome(error)
        if (!(error instanceof DeliveryError) || sending.outcomes.every((outcome) => outcome?.kind !== 'delivered'))
          throw error
        sending.failed ??= error.exchange
        for (const { index } of items) sending.outcomes[index] ??= failed
        break
      }
    }
    const missing: EventOutcome = { kind: 'retry', reason: 'Not sent' }
    const outcomes = waitingAlone(sending.outcomes.map((outcome) => outcome ?? missing))
    const { latencyMs, httpStatus, failed } = sending
    if (failed === undefined) return { outcomes, latencyMs, httpStatus }
    return { outcomes, latencyMs, httpStatus: failed.httpStatus, request: failed.request, response: failed.response }
  }
