import {
  type ConnectionTest,
  cutText,
  type DeliverResult,
  type EventOutcome,
  type OutgoingEvent,
  testOf,
} from '@tributary/connector-kit'
import { personOf, textOfEvent } from '../../wire/access/event-text.ts'
import { type GroupItem, groupsWithin, sendGroups } from '../../wire/access/send-groups.ts'
import { type Context, callHub, failureOf, failureWords } from './call.ts'

/** An event of a batch ("Send batch events", and "Send Message Batch" of Service Bus for the partition key). */
type HubEvent = {
  Body: string
  UserProperties: Readonly<Record<string, string>>
  BrokerProperties?: { PartitionKey: string }
}

/**
 * The limits of a request. A publication of one event or a batch has at most 1 MB, and 256 KB in the Basic tier ("Azure
 * Event Hubs quotas and limits"). We read 1,000,000 bytes. A hub with a lower limit answers 413, and gets halves.
 */
export const maxEvents = 1000
export const maxBytes = 1_000_000
/** Bytes that we count for the names of properties and the form of an event. Our own choice. */
const bytesAround = 200
/** Microsoft's clients allow keys of 128 characters (azure-messaging-eventhubs, `MAX_PARTITION_KEY_LENGTH`). */
const keyLength = 128

const itemOf = (event: OutgoingEvent, index: number, isByPerson: boolean): GroupItem<HubEvent> => {
  const Body = textOfEvent(event)
  // A long name or ID is cut here, and is whole in the body.
  const name: Record<string, string> = event.event === '' ? {} : { event: cutText(event.event, 256) }
  const PartitionKey = cutText(personOf(event), keyLength)
  const value: HubEvent = {
    Body,
    UserProperties: { type: event.type, ...name },
    ...(isByPerson ? { BrokerProperties: { PartitionKey } } : {}),
  }
  const texts = [Body, ...Object.values(name), isByPerson ? PartitionKey : '']
  return { index, value, bytes: texts.reduce((sum, text) => sum + Buffer.byteLength(text), bytesAround) }
}

/**
 * Sends events in batches. Event Hubs accepts or refuses a batch as a whole. Events of an accepted batch are never sent
 * again when a later request fails. A batch goes to one partition, so events with a key need a batch for each key.
 */
export const deliver = async (batch: readonly OutgoingEvent[], context: Context): Promise<DeliverResult> => {
  const items = batch.map((event, index) => itemOf(event, index, context.settings.partition_key === 'person'))
  const refused = new Map<number, EventOutcome>()
  for (const { index, bytes } of items) {
    const reason = `The event has ${bytes} bytes, and at most ${maxBytes} are allowed`
    if (bytes > maxBytes) refused.set(index, { kind: 'rejected', reason })
  }
  const byKey = Map.groupBy(
    items.filter(({ index }) => !refused.has(index)),
    ({ value }) => value.BrokerProperties?.PartitionKey,
  )
  return await sendGroups({
    count: batch.length,
    refused,
    groups: [...byKey.values()].flatMap((own) => groupsWithin(own, { items: maxEvents, bytes: maxBytes })),
    send: async (events) => {
      const call = await callHub(context, {
        method: 'POST',
        path: '/messages',
        headers: { 'content-type': 'application/vnd.microsoft.servicebus.json' },
        body: JSON.stringify(events),
      })
      if (call.answer.status !== 201) throw failureOf(call, context.clock())
      return { call, outcomes: events.map(() => ({ kind: 'delivered' })) }
    },
  })
}

/**
 * Reads the event hub, and sends nothing. Only a policy with the claim Manage may read it. A refusal that names the
 * missing claim shows that the key is right.
 */
export const testConnection = (context: Context): Promise<ConnectionTest> =>
  testOf(async () => {
    const { namespace, event_hub: hub, policy_name: policy } = context.settings
    const call = await callHub(context, { method: 'GET', path: '' })
    const { status, body } = call.answer
    if (status === 200 && body.includes('<EventHubDescription'))
      return { ok: true, message: `The event hub ${hub} at ${namespace} can be reached.` }
    if (status === 401 && /\bclaims?\b[^<]{0,40}\brequired\b/i.test(body))
      return {
        ok: true,
        message: `The key of the policy ${policy} is right. It may not read the event hub ${hub}, so only an event shows whether it may send.`,
      }
    return { ok: false, message: status === 200 ? 'The response is not that of Event Hubs' : failureWords(call) }
  })
