import { testDestination } from '@tributary/connector-kit/testing-destination'
import { expect } from 'vitest'
import { awsAnswer, awsCase, awsError, awsService, eventOfBytes, twoEvents } from '../../wire/aws/testing-aws.ts'
import { firehose } from './definition.ts'

const [track, identify] = twoEvents
const base64 = (text: string): string => Buffer.from(text).toString('base64')
const failing = { ...track, json: '{"is":"failing"}' }

// The form of requests and responses: API reference of Firehose, "PutRecordBatch", with the errors of single records.
testDestination(firehose, {
  ...awsCase({ stream_name: 'events' }),
  vendor: awsService('firehose', {
    'Firehose_20150804.PutRecordBatch': ({ DeliveryStreamName, Records }) => {
      if (DeliveryStreamName !== 'events') return awsError('ResourceNotFoundException')
      const results = (Records as { Data: string }[]).map(({ Data }) =>
        Data === base64('{"is":"failing"}\n')
          ? { ErrorCode: 'ServiceUnavailableException', ErrorMessage: 'Slow down.' }
          : { RecordId: 'some-record-id' },
      )
      const failed = results.filter((result) => 'ErrorCode' in result).length
      return awsAnswer({ FailedPutCount: failed, Encrypted: false, RequestResponses: results })
    },
    'Firehose_20150804.DescribeDeliveryStream': () =>
      awsAnswer({
        DeliveryStreamDescription: { DeliveryStreamStatus: 'ACTIVE', DeliveryStreamType: 'DirectPut' },
      }),
  }),
  events: twoEvents,
  requests: [
    {
      method: 'POST',
      path: '/',
      headers: { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': 'Firehose_20150804.PutRecordBatch' },
      body: {
        DeliveryStreamName: 'events',
        Records: [{ Data: base64(`${track.json}\n`) }, { Data: base64(`${identify.json}\n`) }],
      },
    },
  ],
  connected: 'The stream events can be reached.',
  partialFailure: {
    events: [track, failing, identify],
    outcomes: [
      { kind: 'delivered' },
      { kind: 'retry', reason: 'ServiceUnavailableException: Slow down.' },
      { kind: 'delivered' },
    ],
  },
  // PutRecordBatch: a record has at most 1,000 KB before its encoding.
  oversize: {
    events: [track, eventOfBytes(1_000_000)],
    outcomes: [{ kind: 'delivered' }, { kind: 'rejected', reason: expect.stringContaining('1000000') as string }],
    requests: 1,
  },
})
