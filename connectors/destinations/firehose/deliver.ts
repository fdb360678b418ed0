import {
  type ConnectionTest,
  type DeliverContext,
  isJsonObject,
  type OutgoingEvent,
  testOf,
} from '@tributary/connector-kit'
import { textOfEvent } from '../../wire/access/event-text.ts'
import { type AwsService, callAws } from '../../wire/aws/call.ts'
import { type AwsRecord, deliverRecords, outcomesInOrder } from '../../wire/aws/records.ts'
import type { FirehoseSettings } from './settings.ts'

const service: AwsService = { host: 'firehose', target: 'Firehose_20150804', version: '1.1' }

/** A record is a line: Firehose joins records, so the vendor recommends a newline after each (PutRecordBatch). */
const record = (event: OutgoingEvent): AwsRecord => {
  const data = Buffer.from(`${textOfEvent(event)}\n`)
  return { value: { Data: data.toString('base64') }, bytes: data.length }
}

/**
 * Writes events as lines. A request has at most 500 records and 4 MB, and a record 1,000 KB before its encoding
 * (PutRecordBatch). The encoding adds a third to the size of a request, so we send 2.9 MB of data at most.
 */
export const deliver = deliverRecords<FirehoseSettings>({
  service,
  operation: 'PutRecordBatch',
  limits: { records: 500, bytes: 2_900_000, recordBytes: 1_000_000 },
  record,
  input: (records, { stream_name: DeliveryStreamName }) => ({ DeliveryStreamName, Records: records }),
  outcomes: ({ RequestResponses: results }, count) => outcomesInOrder(results, count, { id: 'RecordId' }),
})

/** Reads the state of the stream, and writes nothing. */
export const testConnection = (context: DeliverContext<FirehoseSettings>): Promise<ConnectionTest> =>
  testOf(async () => {
    const { stream_name: DeliveryStreamName } = context.settings
    const { output } = await callAws(context, service, 'DescribeDeliveryStream', { DeliveryStreamName })
    const about = output['DeliveryStreamDescription']
    const { DeliveryStreamStatus: status, DeliveryStreamType: type } = isJsonObject(about) ? about : {}
    if (status !== 'ACTIVE')
      return { ok: false, message: `The stream ${DeliveryStreamName} is not active: ${String(status)}` }
    if (type !== 'DirectPut')
      return {
        ok: false,
        message: `The stream ${DeliveryStreamName} has another source than Direct PUT: ${String(type)}`,
      }
    return { ok: true, message: `The stream ${DeliveryStreamName} can be reached.` }
  })
