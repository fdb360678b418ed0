import {
  type ConnectionTest,
  cutText,
  type DeliverContext,
  isJsonObject,
  type OutgoingEvent,
  testOf,
} from '@tributary/connector-kit'
import { personOf, textOfEvent } from '../../wire/access/event-text.ts'
import { type AwsService, callAws } from '../../wire/aws/call.ts'
import { type AwsRecord, deliverRecords, outcomesInOrder } from '../../wire/aws/records.ts'
import type { KinesisSettings } from './settings.ts'

const service: AwsService = { host: 'kinesis', target: 'Kinesis_20131202', version: '1.1' }

/** A record has data and a partition key of at most 256 characters. Both count (PutRecordsRequestEntry). */
const record = (event: OutgoingEvent, { partition_key: by }: KinesisSettings): AwsRecord => {
  const data = Buffer.from(textOfEvent(event))
  const key = cutText(by === 'person' ? personOf(event) : event.eventId, 256)
  return {
    value: { Data: data.toString('base64'), PartitionKey: key },
    bytes: data.length + Buffer.byteLength(key),
  }
}

/**
 * Writes events as records. A request has at most 500 records and 10 MiB (PutRecords). We use less, and the size of a
 * record that every stream takes unless it is set otherwise: 1 MiB (UpdateMaxRecordSize).
 */
export const deliver = deliverRecords<KinesisSettings>({
  service,
  operation: 'PutRecords',
  limits: { records: 500, bytes: 4 * 1024 * 1024, recordBytes: 1024 * 1024 },
  record,
  input: (records, { stream_name: StreamName }) => ({ StreamName, Records: records }),
  outcomes: ({ Records: results }, count) => outcomesInOrder(results, count, { id: 'SequenceNumber' }),
})

/** Reads the state of the stream, and writes nothing. */
export const testConnection = (context: DeliverContext<KinesisSettings>): Promise<ConnectionTest> =>
  testOf(async () => {
    const { stream_name: StreamName } = context.settings
    const { output } = await callAws(context, service, 'DescribeStreamSummary', { StreamName })
    const about = output['StreamDescriptionSummary']
    const status = isJsonObject(about) ? about['StreamStatus'] : undefined
    // Records can be written to an active stream, and to one that changes its shards (StreamStatus).
    if (status === 'ACTIVE' || status === 'UPDATING')
      return { ok: true, message: `The stream ${StreamName} can be reached.` }
    return { ok: false, message: `The stream ${StreamName} takes no records: its status is ${String(status)}` }
  })
