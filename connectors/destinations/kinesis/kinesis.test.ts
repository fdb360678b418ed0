import { testDestination } from '@tributary/connector-kit/testing-destination'
import { expect } from 'vitest'
import { awsAnswer, awsCase, awsError, awsService, eventOfBytes, twoEvents } from '../../wire/aws/testing-aws.ts'
import { kinesis } from './definition.ts'

const [track, identify] = twoEvents
const base64 = (text: string): string => Buffer.from(text).toString('base64')
const throttled = { ...track, eventId: 'throttled', json: track.json.replace('user-1', 'throttled') }

// The form of requests and responses: API reference of Kinesis, "PutRecords", with the errors of single records.
testDestination(kinesis, {
  ...awsCase({ stream_name: 'events' }),
  vendor: awsService('kinesis', {
    'Kinesis_20131202.PutRecords': ({ StreamName, Records }) => {
      if (StreamName !== 'events') return awsError('ResourceNotFoundException')
      const records = (Records as { Data: string; PartitionKey: string }[]).map(({ PartitionKey: key }) =>
        key === 'throttled'
          ? {
              ErrorCode: 'ProvisionedThroughputExceededException',
              ErrorMessage: 'Rate exceeded for shard shardId-000000000001 in stream events under account 111111111111.',
            }
          : {
              SequenceNumber: '49543463076548007577105092703039560359975228518395012686',
              ShardId: 'shardId-000000000000',
            },
      )
      const failed = records.filter((record) => 'ErrorCode' in record).length
      return awsAnswer({ FailedRecordCount: failed, Records: records })
    },
    'Kinesis_20131202.DescribeStreamSummary': () =>
      awsAnswer({ StreamDescriptionSummary: { StreamName: 'events', StreamStatus: 'ACTIVE' } }),
  }),
  events: twoEvents,
  requests: [
    {
      method: 'POST',
      path: '/',
      headers: { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': 'Kinesis_20131202.PutRecords' },
      body: {
        StreamName: 'events',
        Records: [
          { Data: base64(track.json), PartitionKey: 'user-1' },
          { Data: base64(identify.json), PartitionKey: 'user-2' },
        ],
      },
    },
  ],
  connected: 'The stream events can be reached.',
  partialFailure: {
    events: [track, throttled, identify],
    outcomes: [
      { kind: 'delivered' },
      {
        kind: 'retry',
        reason:
          'ProvisionedThroughputExceededException: Rate exceeded for shard shardId-000000000001 in stream events under account 111111111111.',
      },
      { kind: 'delivered' },
    ],
  },
  // "Handle large records": a stream takes records of 1 MiB, unless it is set otherwise.
  oversize: {
    events: [track, eventOfBytes(1024 * 1024)],
    outcomes: [{ kind: 'delivered' }, { kind: 'rejected', reason: expect.stringContaining('1048576') as string }],
    requests: 1,
  },
})
