import {
  type ConnectionTest,
  createRefusedInRow,
  cutText,
  type DeliverResult,
  DeliveryError,
  type EventOutcome,
  type Exchange,
  failedOutcome,
  type OutgoingEvent,
  RejectedError,
  RetryableError,
  testOf,
  waitingAlone,
} from '@tributary/connector-kit'
import { personOf, textOfEvent } from '../../wire/access/event-text.ts'
import { type Context, callTopic } from './publish.ts'

type Message = { data: string; attributes: Record<string, string>; orderingKey?: string }
type Item = { readonly index: number; readonly bytes: number; readonly message: Message }

/**
 * The limits of a request in Google's own client (@google-cloud/pubsub 6.3.2, BATCH_LIMITS) are 1,000 messages and
 * 9 MiB. The encoding in JSON adds a third, so we send less.
 */
export const maxMessages = 1000
export const maxBytes = 6 * 1024 * 1024

const itemOf = (event: OutgoingEvent, index: number, isOrdered: boolean): Item => {
  const data = Buffer.from(textOfEvent(event))
  // A long name or ID is cut here, and is whole in the data.
  const attributes = { type: event.type, ...(event.event === '' ? {} : { event: cutText(event.event, 256) }) }
  const key = isOrdered ? { orderingKey: cutText(personOf(event), 256) } : {}
  return { index, bytes: data.length, message: { data: data.toString('base64'), attributes, ...key } }
}

/** Returns the messages of each request: within the limits, and with one ordering key (PubsubMessage). */
const groupsOf = (items: readonly Item[]): Item[][] =>
  [...Map.groupBy(items, ({ message }) => message.orderingKey).values()].flatMap((own) => {
    const groups: Item[][] = []
    let size = 0
    for (const item of own) {
      const last = groups.at(-1)
      if (last === undefined || last.length >= maxMessages || size + item.bytes > maxBytes) {
        groups.push([item])
        size = item.bytes
      } else {
        last.push(item)
        size += item.bytes
      }
    }
    return groups
  })

type Sending = {
  outcomes: (EventOutcome | undefined)[]
  latencyMs: number
  failed?: Exchange
  refused: ReturnType<typeof createRefusedInRow>
  /** The outcome of the messages that are not sent, after many refusals for one reason. */
  rest?: EventOutcome | undefined
}

/** Publishes messages. If several are refused for their content, they are sent in halves. */
const publish = async (context: Context, items: readonly Item[], sending: Sending): Promise<void> => {
  const note = (outcome: EventOutcome): void => {
    for (const { index } of items) sending.outcomes[index] = outcome
  }
  if (sending.rest !== undefined) return note(sending.rest)
  try {
    const { call, output } = await callTopic(context, 'publish', { messages: items.map(({ message }) => message) })
    const { messageIds: ids } = output
    if (!Array.isArray(ids) || ids.length !== items.length)
      throw new RetryableError('The response does not have an ID for each message', { exchange: call.exchange() })
    sending.latencyMs += call.answer.latencyMs
    note({ kind: 'delivered' })
  } catch (error) {
    if (!(error instanceof RejectedError)) throw error
    if (items.length === 1) {
      if (error.exchange !== undefined) sending.failed ??= error.exchange
      const outcome = failedOutcome(error)
      sending.rest = sending.refused.note(outcome)
      return note(outcome)
    }
    const half = Math.ceil(items.length / 2)
    await publish(context, items.slice(0, half), sending)
    await publish(context, items.slice(half), sending)
  }
}

/**
 * Publishes events as messages. Pub/Sub accepts or refuses a request as a whole. Messages of an accepted request are
 * never sent again when a later request of the batch fails.
 */
export const deliver = async (batch: readonly OutgoingEvent[], context: Context): Promise<DeliverResult> => {
  const sending: Sending = { outcomes: batch.map(() => undefined), latencyMs: 0, refused: createRefusedInRow() }
  const items = batch.map((event, index) => itemOf(event, index, context.settings.ordering))
  const reason = `A message has at most ${maxBytes} bytes`
  for (const { index, bytes } of items) if (bytes > maxBytes) sending.outcomes[index] = { kind: 'rejected', reason }
  for (const group of groupsOf(items.filter(({ bytes }) => bytes <= maxBytes))) {
    try {
      await publish(context, group, sending)
    } catch (error) {
      const failed = failedOutcome(error)
      if (!(error instanceof DeliveryError) || sending.outcomes.every((outcome) => outcome?.kind !== 'delivered'))
        throw error
      if (error.exchange !== undefined) sending.failed ??= error.exchange
      for (const { index } of items) sending.outcomes[index] ??= failed
      break
    }
  }
  const missing: EventOutcome = { kind: 'retry', reason: 'Not sent' }
  const outcomes = waitingAlone(sending.outcomes.map((outcome) => outcome ?? missing))
  const { latencyMs, failed } = sending
  return failed === undefined ? { outcomes, latencyMs, httpStatus: 200 } : { outcomes, ...failed, latencyMs }
}

/** Asks which permissions the account has on the topic, and publishes nothing. */
export const testConnection = (context: Context): Promise<ConnectionTest> =>
  testOf(async () => {
    const { topic } = context.settings
    const permission = 'pubsub.topics.publish'
    const { output } = await callTopic(context, 'testIamPermissions', { permissions: [permission] })
    const { permissions } = output
    if (Array.isArray(permissions) && permissions.includes(permission))
      return { ok: true, message: `The account can publish to ${topic}.` }
    return { ok: false, message: `The topic ${topic} does not exist, or the account cannot publish to it` }
  })
