import {
  type ConnectionTest,
  cutText,
  type DeliverContext,
  isJsonObject,
  type OutgoingEvent,
  parseExactJson,
  readTime,
  testOf,
} from '@tributary/connector-kit'
import { textOfEvent } from '../../wire/access/event-text.ts'
import { type AwsService, callAws } from '../../wire/aws/call.ts'
import { type AwsRecord, deliverRecords, outcomesInOrder } from '../../wire/aws/records.ts'
import type { EventBridgeSettings } from './settings.ts'

const service: AwsService = { host: 'events', target: 'AWSEvents', version: '1.1' }

/** Codes that refuse the content of one event (PutEventsResultEntry). */
const content = new Set(['InvalidArgument', 'MalformedDetail', 'RedactionFailure'])

/** Returns the time of an event in seconds, the form of a time in AWS JSON 1.1; undefined if it has none. */
const timeOf = ({ json }: OutgoingEvent): number | undefined => {
  const event = parseExactJson(json)
  const time = isJsonObject(event) && typeof event['timestamp'] === 'string' ? readTime(event['timestamp']) : undefined
  return time === undefined ? undefined : Math.floor(time / 1000)
}

/**
 * The detail type is the name of the event or its type, at most 128 characters. The size counts by "Calculating
 * PutEvents event entry size": detail, source, and detail type, and 14 bytes for the time.
 */
const record = (event: OutgoingEvent, { event_bus: EventBusName, source: Source }: EventBridgeSettings): AwsRecord => {
  const Detail = textOfEvent(event)
  const DetailType = cutText(event.event === '' ? event.type : event.event, 128)
  const Time = timeOf(event)
  const bytes = [Detail, DetailType, Source].reduce((sum, text) => sum + Buffer.byteLength(text), 14)
  return { value: { EventBusName, Source, DetailType, Detail, ...(Time === undefined ? {} : { Time }) }, bytes }
}

/** The entries of a request have less than 1 MB together, in which we read 1,000,000 bytes (PutEvents). */
const maxBytes = 999_999

/** Puts events on the bus, at most 10 a request (quotas of EventBridge, "PutEvents"). */
export const deliver = deliverRecords<EventBridgeSettings>({
  service,
  operation: 'PutEvents',
  limits: { records: 10, bytes: maxBytes, recordBytes: maxBytes },
  record,
  input: (Entries) => ({ Entries }),
  outcomes: ({ Entries: results }, count) => outcomesInOrder(results, count, { id: 'EventId', content }),
})

/** Reads the name of the event bus, and puts nothing on it. */
export const testConnection = (context: DeliverContext<EventBridgeSettings>): Promise<ConnectionTest> =>
  testOf(async () => {
    const { event_bus: Name } = context.settings
    await callAws(context, service, 'DescribeEventBus', { Name })
    return { ok: true, message: `The event bus ${Name} can be reached.` }
  })
