import { type DestinationDefinition, type FieldDefinition, type Settings, settingText } from '@tributary/connector-kit'
import { deliver, testConnection } from './deliver.ts'
import { logo } from './logo.ts'

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
  field('region', 'Region', 'Of the bucket. Storages other than AWS often take us-east-1 or auto.', {
    default: 'us-east-1',
    maxLength: 63,
  }),
  field('access_key_id', 'Access key id', 'Of the user or token that may write to the bucket.', { maxLength: 128 }),
  field('secret_access_key', 'Secret access key', 'Stored encrypted.', {
    type: 'secret',
    secret: true,
    sentTo: [{ setting: 'endpoint', by: 'origin' }],
  }),
  field('prefix', 'Prefix', 'Folder that objects are written to; / for the top of the bucket.', {
    required: false,
    default: 'events',
    maxLength: 500,
  }),
  field('format', 'Format', 'One JSON object a line.', {
    type: 'select',
    default: 'gzip',
    choices: [
      { value: 'gzip', label: 'JSON lines, gzip' },
      { value: 'json', label: 'JSON lines' },
    ],
  }),
  field('wait_seconds', 'Longest wait (s)', 'An object is written after this time, with 10,000 events or with 5 MB.', {
    type: 'number',
    default: 60,
    min: 10,
    max: 900,
  }),
  field(
    'endpoint',
    'Endpoint',
    'Empty for AWS. Address of another storage that speaks S3, such as MinIO, R2 or Ceph.',
    {
      type: 'url',
      required: false,
    },
  ),
  field(
    'path_style',
    'Bucket in the path',
    'On: endpoint/bucket/object, as MinIO and Ceph like it. Off: the bucket before the host, as AWS does.',
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
    problems.bucket = 'Letters, digits, dots and hyphens, 3 to 63 of them'
  if (!/^[a-z0-9-]+$/i.test(settingText(settings, 'region'))) problems.region = 'Such as eu-central-1'
  const prefix = settingText(settings, 'prefix')
  if (/\p{Cc}/u.test(prefix) || prefix.split('/').some((part) => part === '.' || part === '..'))
    problems.prefix = 'Names joined by slashes, none of them . or ..'
  const endpoint = settingText(settings, 'endpoint')
  if (endpoint !== '' && new URL(endpoint).search !== '') problems.endpoint = 'Without a query'
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
  description: 'Writes events as compressed JSON lines to a bucket of S3, MinIO, R2, Ceph or another storage like it.',
  logo,
  docs: {
    url: 'https://docs.aws.amazon.com/AmazonS3/latest/userguide/security-iam.html',
    steps: [
      {
        title: 'Make a bucket',
        text: 'In the region where the data is to live, without public access. With a storage other than AWS, note its endpoint; one inside your network is reached only when whoever runs Tributary allows that network with `TRIBUTARY_EGRESS_ALLOW`.',
      },
      {
        title: 'Make a user that may write to it',
        text: 'In IAM make a user with this policy, with your bucket and prefix in it, and an access key for it. The second statement serves the test of the connection alone.',
        code: policy,
        language: 'json',
      },
      {
        title: 'Where objects are',
        text: 'An object holds the events of one hour of receipt (UTC). Athena, Spark, DuckDB and others read `dt` and `hr` as partitions. It is named after its events, so a batch that is sent again replaces itself.',
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
      description: 'A line of JSON for each event, in objects by day and hour.',
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
