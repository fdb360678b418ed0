import { defineSettings, type SettingsOf, setting } from '@tributary/connector-kit'

export const settings = defineSettings({
  bucket: setting.text({ label: 'Bucket', help: 'Name of the bucket.', required: true, maxLength: 63 }),
  region: setting.text({
    label: 'Region',
    help: "The bucket's region. Providers other than AWS often use us-east-1 or auto.",
    required: true,
    default: 'us-east-1',
    maxLength: 63,
  }),
  access_key_id: setting.text({
    label: 'Access key ID',
    help: 'From a user or token that can write to the bucket.',
    required: true,
    maxLength: 128,
  }),
  secret_access_key: setting.secret({
    label: 'Secret access key',
    help: 'Stored encrypted.',
    required: true,
    maxLength: 255,
    sentTo: [{ setting: 'endpoint', by: 'origin' }],
  }),
  prefix: setting.text({
    label: 'Prefix',
    help: 'Folder to write objects to. Use / for the top of the bucket.',
    default: 'events',
    maxLength: 500,
  }),
  format: setting.choice({
    label: 'Format',
    help: 'One JSON object per line.',
    required: true,
    default: 'gzip',
    choices: [
      { value: 'gzip', label: 'JSON lines, gzip' },
      { value: 'json', label: 'JSON lines' },
    ],
  }),
  wait_seconds: setting.number({
    label: 'Maximum wait (s)',
    help: 'An object is written after this time, at 10,000 events, or at 5 MB.',
    required: true,
    default: 60,
    min: 10,
    max: 900,
  }),
  endpoint: setting.url({
    label: 'Endpoint',
    help: 'Leave empty for AWS. Otherwise, the URL of S3-compatible storage such as MinIO, R2, or Ceph.',
  }),
  path_style: setting.toggle({
    label: 'Path-style URLs',
    help: 'On: endpoint/bucket/object, for MinIO and Ceph. Off: bucket.endpoint/object, for AWS.',
    default: false,
  }),
})

export type S3Settings = SettingsOf<typeof settings>

/** Rules that a setting's type does not say. */
export const check = ({
  bucket = '',
  region = '',
  prefix = '',
  endpoint,
}: Partial<S3Settings>): Record<string, string> => {
  const problems: Record<string, string> = {}
  // Bucket naming rules of S3; older ones with capitals and underscores are reached in the path.
  if (!/^[a-z0-9][a-z0-9._-]{1,61}[a-z0-9]$/i.test(bucket))
    problems.bucket = 'Use 3 to 63 letters, digits, dots, and hyphens'
  if (!/^[a-z0-9-]+$/i.test(region)) problems.region = 'Enter a region such as eu-central-1'
  if (/\p{Cc}/u.test(prefix) || prefix.split('/').some((part) => part === '.' || part === '..'))
    problems.prefix = 'Use names joined by slashes, without . or ..'
  if (endpoint !== undefined && new URL(endpoint).search !== '') problems.endpoint = 'Enter a URL without a query'
  return problems
}
