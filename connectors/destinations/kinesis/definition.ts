import { defineDestination } from '@tributary/connector-kit'
import { putRecord } from './actions/put-record.ts'
import { deliver, testConnection } from './deliver.ts'
import { check, settings } from './settings.ts'

const policy = `{
  "Version": "2012-10-17",
  "Statement": [
    {
      "Effect": "Allow",
      "Action": ["kinesis:PutRecords", "kinesis:DescribeStreamSummary"],
      "Resource": "arn:aws:kinesis:eu-central-1:123456789012:stream/events"
    }
  ]
}`

/** Writes events as records to a data stream of Amazon Kinesis. */
export const kinesis = defineDestination({
  slug: 'kinesis',
  title: 'Amazon Kinesis Data Streams',
  description: 'Writes events as records to a data stream of Amazon Kinesis.',
  docs: {
    url: 'https://docs.aws.amazon.com/kinesis/latest/APIReference/API_PutRecords.html',
    steps: [
      {
        title: 'Create a data stream',
        text: 'In Amazon Kinesis, create a data stream and note its name and region. A shard takes 1,000 records or 1 MB a second; the on-demand mode adds shards itself.',
      },
      {
        title: 'Create a user that can write to it',
        text: 'In IAM, create a user with this policy, using your stream, and create an access key for it. The second action is only for testing the connection.',
        code: policy,
        language: 'json',
      },
      {
        title: 'Read the records',
        text: 'The data of a record is the whole event as JSON, or an object of the fields you map. Events of one person are in one shard, mostly in their order. Every event arrives at least once: use `eventId` to drop repeats.',
      },
      {
        title: 'Limits',
        text: 'Records over 1 MiB are rejected. Records that Kinesis throttles are sent again alone, without those that it took.',
      },
    ],
  },
  category: 'Databases and storage',
  kinds: ['Event Streams'],
  auth: 'key',
  settings,
  check,
  objects: [
    {
      name: 'records',
      title: 'Records',
      description: 'One record per event.',
      syncModes: ['INSERT_ONLY'],
      identifiers: [],
      actions: ['put_record'],
    },
  ],
  actions: [putRecord],
  presets: [{ action: 'put_record', fields: {} }],
  batching: () => ({ maxEvents: 500, maxBytes: 4 * 1024 * 1024, maxWaitMs: 1000 }),
  testConnection,
  deliver,
})
