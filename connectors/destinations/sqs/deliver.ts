import { createHash } from 'node:crypto'
import {
  type ConnectionTest,
  type DeliverContext,
  type EventOutcome,
  isJsonObject,
  type OutgoingEvent,
  RetryableError,
  testOf,
} from '@tributary/connector-kit'
import { personOf, textOfEvent } from '../../wire/access/event-text.ts'
import { type AwsService, callAws } from '../../wire/aws/call.ts'
import { type AwsRecord, deliverRecords, outcomeOfCode } from '../../wire/aws/records.ts'
import { isFifo, type SqsSettings } from './settings.ts'

const service: AwsService = { host: 'sqs', target: 'AmazonSQS', version: '1.0' }

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex')

/** Returns the group of a message: up to 128 letters, digits, and punctuation (SendMessage, "MessageGroupId"). */
const groupOf = (event: OutgoingEvent): string => {
  const person = personOf(event)
  return /^[\x21-\x7e]{1,128}$/.test(person) ? person : hashOf(person)
}

/** Escapes the two characters that JSON can contain and messages cannot (SendMessageBatch). */
const bodyOf = (event: OutgoingEvent): string =>
  textOfEvent(event).replace(/[\ufffe\uffff]/g, (found) => `\\u${found.charCodeAt(0).toString(16)}`)

const record = (event: OutgoingEvent, settings: SqsSettings): AwsRecord => {
  const body = bodyOf(event)
  const fifo = isFifo(settings) ? { MessageGroupId: groupOf(event), MessageDeduplicationId: hashOf(event.eventId) } : {}
  return { value: { MessageBody: body, ...fifo }, bytes: Buffer.byteLength(body) }
}

/** Returns the outcomes by the IDs of the entries, which are the numbers of the messages. */
const outcomes = (output: Readonly<Record<string, unknown>>, count: number): EventOutcome[] => {
  const { Successful: sent = [], Failed: failed = [] } = output
  if (!Array.isArray(sent) || !Array.isArray(failed))
    throw new RetryableError('The response does not list the messages')
  const known = new Map<string, EventOutcome>()
  for (const entry of sent as unknown[])
    if (isJsonObject(entry) && typeof entry['MessageId'] === 'string')
      known.set(String(entry['Id']), { kind: 'delivered' })
  for (const entry of failed as unknown[]) {
    if (!isJsonObject(entry)) continue
    const { Id: id, Code: code, Message: message, SenderFault: isOfSender } = entry
    const outcome = outcomeOfCode(typeof code === 'string' ? code : 'InternalFailure', message, true)
    known.set(String(id), isOfSender === true ? outcome : { ...outcome, kind: 'retry', reason: reasonOf(outcome) })
  }
  const missing: EventOutcome = { kind: 'retry', reason: 'The response does not name the message' }
  return Array.from({ length: count }, (_, index) => known.get(String(index)) ?? missing)
}

const reasonOf = (outcome: EventOutcome): string => ('reason' in outcome ? outcome.reason : '')

/** Sends events as messages, at most 10 messages and 1 MiB a request (SendMessageBatch). */
export const deliver = deliverRecords<SqsSettings>({
  service,
  operation: 'SendMessageBatch',
  limits: { records: 10, bytes: 1_048_576, recordBytes: 1_048_576 },
  record,
  input: (records, { queue_url: QueueUrl }) => ({
    QueueUrl,
    Entries: records.map((value, index) => ({ Id: String(index), ...value })),
  }),
  outcomes,
})

/** Reads the name of the queue, and sends nothing. */
export const testConnection = (context: DeliverContext<SqsSettings>): Promise<ConnectionTest> =>
  testOf(async () => {
    const { queue_url: QueueUrl } = context.settings
    await callAws(context, service, 'GetQueueAttributes', { QueueUrl, AttributeNames: ['QueueArn'] })
    return { ok: true, message: `The queue ${QueueUrl.split('/').at(-1)} can be reached.` }
  })
