import { defineDestination } from '@tributary/connector-kit'
import { putRecord } from './actions/put-record.ts'
import { deliver, testConnection } from './deliver.ts'
import { check, settings } from './settings.ts'

const policy = `{
  "Version": "2012-10-17",
  "Statement": [
    {
      "Effect": "Allow",
      "Action": ["firehose:PutRecordBatch", "firehose:DescribeDeliveryStream"],
      "Resource": "arn:aws:firehose:eu-central-1:123456789012:deliverystream/events"
    }
  ]
}`

/** Writes events as lines of JSON to a stream of Amazon Data Firehose. */
export const firehose = defineDestination({
  slug: 'firehose',
  title: 'Amazon Data Firehose',
  description:
    'Writes events as lines of JSON to Amazon Data Firehose, which loads them into S3, Redshift, and others.',
  docs: {
    url: 'https://docs.aws.amazon.com/firehose/latest/APIReference/API_PutRecordBatch.html',
    steps: [
      {
        title: 'Create a Firehose stream',
        text: 'In Amazon Data Firehose, create a stream with the source **Direct PUT** and your destination, such as S3 or Redshift. Note its name and region.',
      },
      {
        title: 'Create a user that can write to it',
        text: 'In IAM, create a user with this policy, using your stream, and create an access key for it. The second action is only for testing the connection.',
        code: policy,
        language: 'json',
      },
      {
        title: 'Read the data',
        text: 'A record is the whole event as JSON, or an object of the fields you map, and ends with a newline. Every event arrives at least once: use `eventId` to drop repeats.',
      },
      {
        title: 'Limits',
        text: 'Records over 1,000 KB are rejected. Records that Firehose throttles are sent again alone, without those that it took.',
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
      description: 'One line of JSON per event.',
      syncModes: ['INSERT_ONLY'],
      identifiers: [],
      actions: ['put_record'],
    },
  ],
  actions: [putRecord],
  presets: [{ action: 'put_record', fields: {} }],
  batching: () => ({ maxEvents: 500, maxBytes: 2_900_000, maxWaitMs: 1000 }),
  testConnection,
  deliver,
})
