import {
  type ConnectionTest,
  cutText,
  type DeliverResult,
  type OutgoingEvent,
  RetryableError,
  testOf,
} from '@tributary/connector-kit'
import { personOf, textOfEvent } from '../../wire/access/event-text.ts'
import { type GroupItem, groupsWithin, sendGroups } from '../../wire/access/send-groups.ts'
import { type Context, callTopic } from './publish.ts'

type Message = { data: string; attributes: Record<string, string>; orderingKey?: string }

/**
 * The limits of a request in Google's own client (@google-cloud/pubsub 6.3.2, BATCH_LIMITS) are 1,000 messages and
 * 9 MiB. The encoding in JSON adds a third, so we send less.
 */
export const maxMessages = 1000
export const maxBytes = 6 * 1024 * 1024

const itemOf = (event: OutgoingEvent, index: number, isOrdered: boolean): GroupItem<Message> => {
  const data = Buffer.from(textOfEvent(event))
  // A long name or ID is cut here, and is whole in the data.
  const attributes = { type: event.type, ...(event.event === '' ? {} : { event: cutText(event.event, 256) }) }
  const key = isOrdered ? { orderingKey: cutText(personOf(event), 256) } : {}
  return { index, bytes: data.length, value: { data: data.toString('base64'), attributes, ...key } }
}

/**
 * Publishes events as messages. Pub/Sub accepts or refuses a request as a whole. Messages of an accepted request are
 * never sent again when a later request of the batch fails.
 */
export const deliver = async (batch: readonly OutgoingEvent[], context: Context): Promise<DeliverResult> => {
  const items = batch.map((event, index) => itemOf(event, index, context.settings.ordering))
  const reason = `A message has at most ${maxBytes} bytes`
  const tooLarge = items.filter(({ bytes }) => bytes > maxBytes)
  // A request has messages of one ordering key (PubsubMessage).
  const byKey = Map.groupBy(
    items.filter(({ bytes }) => bytes <= maxBytes),
    ({ value }) => value.orderingKey,
  )
  return await sendGroups({
    count: batch.length,
    refused: new Map(tooLarge.map(({ index }) => [index, { kind: 'rejected', reason }])),
    groups: [...byKey.values()].flatMap((own) => groupsWithin(own, { items: maxMessages, bytes: maxBytes })),
    send: async (messages) => {
      const { call, output } = await callTopic(context, 'publish', { messages })
      const { messageIds: ids } = output
      if (!Array.isArray(ids) || ids.length !== messages.length)
        throw new RetryableError('The response does not have an ID for each message', { exchange: call.exchange() })
      return { call, outcomes: messages.map(() => ({ kind: 'delivered' })) }
    },
  })
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
