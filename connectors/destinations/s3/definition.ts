import { defineDestination } from '@tributary/connector-kit'
import { writeLine } from './actions/write-line.ts'
import { changeObjects } from './changes.ts'
import { deliver, deliverRows, testConnection } from './deliver.ts'
import { check, settings } from './settings.ts'

const policy = `{
  "Version": "2012-10-17",
  "Statement": [
    {
      "Effect": "Allow",
      "Action": ["s3:PutObject"],
      "Resource": "arn:aws:s3:::your-bucket/events/*"
    },
    {
      "Effect": "Allow",
      "Action": ["s3:DeleteObject"],
      "Resource": "arn:aws:s3:::your-bucket/events/.tributary-test"
    }
  ]
}`

/** Writes events as objects of JSON lines to S3 or a compatible storage. */
export const s3 = defineDestination({
  slug: 's3',
  title: 'Amazon S3',
  description:
    'Writes events as compressed JSON lines to a bucket on S3, MinIO, R2, Ceph, or other S3-compatible storage.',
  docs: {
    url: 'https://docs.aws.amazon.com/AmazonS3/latest/userguide/security-iam.html',
    steps: [
      {
        title: 'Create a bucket',
        text: 'Choose the region for your data and block public access. For storage other than AWS, note its endpoint. To reach storage inside your network, your Tributary operator must allow that network with `TRIBUTARY_EGRESS_ALLOW`.',
      },
      {
        title: 'Create a user that can write to it',
        text: 'In IAM, create a user with this policy, using your bucket and prefix, and create an access key for it. The second statement is only for testing the connection.',
        code: policy,
        language: 'json',
      },
      {
        title: 'Find your objects',
        text: 'Each object holds events received in one hour (UTC). Athena, Spark, DuckDB, and others read `dt` and `hr` as partitions. Objects are named after their events, so a retried batch replaces itself.',
        code: 'events/dt=2026-01-31/hr=13/{first event}-{hash}.json.gz',
        language: 'text',
      },
      {
        title: 'Rows of syncs',
        text: 'A sync writes each change of a row as a line of JSON or CSV, or as a row of a Parquet file, in the folder you name. Before the mapped fields, it has `_operation` (`upsert` or `delete`), `_key`, and `_written_at`. What was written is never changed: of the lines of a key, the one written last holds. All columns of Parquet are text, so numbers keep their digits.',
        code: 'events/customers/run={run}/{first row}-{hash}.csv.gz',
        language: 'text',
      },
      {
        title: 'How often',
        text: 'An object is written when the longest wait is over, with 10,000 events, or with 5 MB before compression. Every event arrives at least once: when the storage took an object and the answer was lost, events may be in two. Each has an `eventId` of its own to drop repeats by.',
      },
    ],
  },
  category: 'Databases and storage',
  kinds: ['Event Streams', 'ETL'],
  auth: 'key',
  settings,
  check,
  objects: [
    {
      name: 'lines',
      title: 'Lines of objects',
      description: 'One line of JSON per event, in objects by day and hour.',
      syncModes: ['INSERT_ONLY'],
      identifiers: [],
      actions: ['write_line'],
    },
  ],
  actions: [writeLine],
  presets: [{ action: 'write_line', fields: {} }],
  batching: ({ wait_seconds: seconds }) => ({
    maxEvents: 10_000,
    maxBytes: 5 * 1024 * 1024,
    maxWaitMs: seconds * 1000,
  }),
  // A batch is large. Sending one batch at a time limits the memory that a destination needs.
  concurrency: 1,
  testConnection,
  deliver,
  deliverRows,
  rowObjects: changeObjects,
})
