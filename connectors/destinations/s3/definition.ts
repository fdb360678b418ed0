import { type DestinationDefinition, type FieldDefinition, type Settings, settingText } from '@tributary/connector-kit'
import { deliver, testConnection } from './deliver.ts'

const field = (name: string, label: string, help: string, more: Partial<FieldDefinition> = {}): FieldDefinition => ({
  name,
  label,
  help,
  type: 'string',
  required: true,
  maxLength: 255,
  secret: false,
  editable: true,
  ...more,
})

const fields: readonly FieldDefinition[] = [
  field('bucket', 'Bucket', 'Name of the bucket.', { maxLength: 63 }),
  field('region', 'Region', "The bucket's region. Providers other than AWS often use us-east-1 or auto.", {
    default: 'us-east-1',
    maxLength: 63,
  }),
  field('access_key_id', 'Access key id', 'From a user or token that can write to the bucket.', { maxLength: 128 }),
  field('secret_access_key', 'Secret access key', 'Stored encrypted.', {
    type: 'secret',
    secret: true,
    sentTo: [{ setting: 'endpoint', by: 'origin' }],
  }),
  field('prefix', 'Prefix', 'Folder to write objects to. Use / for the top of the bucket.', {
    required: false,
    default: 'events',
    maxLength: 500,
  }),
  field('format', 'Format', 'One JSON object per line.', {
    type: 'select',
    default: 'gzip',
    choices: [
      { value: 'gzip', label: 'JSON lines, gzip' },
      { value: 'json', label: 'JSON lines' },
    ],
  }),
  field('wait_seconds', 'Maximum wait (s)', 'An object is written after this time, at 10,000 events, or at 5 MB.', {
    type: 'number',
    default: 60,
    min: 10,
    max: 900,
  }),
  field(
    'endpoint',
    'Endpoint',
    'Leave empty for AWS. Otherwise, the URL of S3-compatible storage such as MinIO, R2, or Ceph.',
    {
      type: 'url',
      required: false,
    },
  ),
  field(
    'path_style',
    'Path-style URLs',
    'On: endpoint/bucket/object, for MinIO and Ceph. Off: bucket.endpoint/object, for AWS.',
    {
      type: 'boolean',
      required: false,
      default: false,
    },
  ),
]

const check = (settings: Settings): Record<string, string> => {
  const problems: Record<string, string> = {}
  // Bucket naming rules of S3; older ones with capitals and underscores are reached in the path.
  if (!/^[a-z0-9][a-z0-9._-]{1,61}[a-z0-9]$/i.test(settingText(settings, 'bucket')))
    problems.bucket = 'Use 3 to 63 letters, digits, dots, and hyphens'
  if (!/^[a-z0-9-]+$/i.test(settingText(settings, 'region'))) problems.region = 'Enter a region such as eu-central-1'
  const prefix = settingText(settings, 'prefix')
  if (/\p{Cc}/u.test(prefix) || prefix.split('/').some((part) => part === '.' || part === '..'))
    problems.prefix = 'Use names joined by slashes, without . or ..'
  const endpoint = settingText(settings, 'endpoint')
  if (endpoint !== '' && new URL(endpoint).search !== '') problems.endpoint = 'Enter a URL without a query'
  return problems
}

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

/** Writes events as objects of JSON lines to S3 or a storage that speaks its language. */
export const s3: DestinationDefinition = {
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
        title: 'How often',
        text: 'An object is written when the longest wait is over, with 10,000 events, or with 5 MB before compression. Every event arrives at least once: when the storage took an object and the answer was lost, events may be in two. Each has an `eventId` of its own to drop repeats by.',
      },
    ],
  },
  kinds: ['Event Streams', 'ETL'],
  auth: 'key',
  fields,
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
  actions: [
    {
      name: 'write_line',
      title: 'Write line',
      description: 'Writes the event as a line of an object.',
      targets: [],
      customTargets: true,
      wholeEvent: true,
      eventTypes: [],
    },
  ],
  presets: [{ action: 'write_line', fields: {} }],
  batching: (settings) => ({
    maxEvents: 10_000,
    maxBytes: 5 * 1024 * 1024,
    maxWaitMs: Number(settings.wait_seconds) * 1000,
  }),
  // A batch is large: one at a time bounds the memory of a destination.
  concurrency: 1,
  testConnection,
  deliver,
}
