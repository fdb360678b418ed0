import { setting } from '@tributary/connector-kit'

/** Creates the settings of the bucket and its credentials. `user` is the help text of the credentials in the form. */
export const bucketSettings = (given: { user: string }) => ({
  bucket: setting.text({ label: 'Bucket', help: 'Name of the bucket.', required: true, maxLength: 63 }),
  region: setting.text({
    label: 'Region',
    help: "The bucket's region. Providers other than AWS often use us-east-1 or auto.",
    required: true,
    default: 'us-east-1',
    maxLength: 63,
  }),
  access_key_id: setting.text({ label: 'Access key ID', help: given.user, required: true, maxLength: 128 }),
  secret_access_key: setting.secret({
    label: 'Secret access key',
    help: 'Stored encrypted.',
    required: true,
    maxLength: 255,
    sentTo: [{ setting: 'endpoint', by: 'origin' }],
  }),
})

/** The settings for the address of a storage other than AWS. */
export const endpointSettings = {
  endpoint: setting.url({
    label: 'Endpoint',
    help: 'Leave empty for AWS. Otherwise, the URL of S3-compatible storage such as MinIO, R2, or Ceph.',
  }),
  path_style: setting.toggle({
    label: 'Path-style URLs',
    help: 'On: endpoint/bucket/object, for MinIO and Ceph. Off: bucket.endpoint/object, for AWS.',
    default: false,
  }),
}

/** The data for accessing a bucket. */
export type BucketAccess = {
  readonly bucket: string
  readonly region: string
  readonly access_key_id: string
  readonly secret_access_key: string
  readonly endpoint?: string | undefined
  readonly path_style: boolean
}

/** Checks rules that the field types do not include. */
export const bucketProblems = ({
  bucket = '',
  region = '',
  endpoint,
}: Partial<Pick<BucketAccess, 'bucket' | 'region' | 'endpoint'>>): Record<string, string> => {
  const problems: Record<string, string> = {}
  // Bucket naming rules of S3. Older buckets with capitals and underscores are addressed in the path.
  if (!/^[a-z0-9][a-z0-9._-]{1,61}[a-z0-9]$/i.test(bucket))
    problems.bucket = 'Use 3 to 63 letters, digits, dots, and hyphens'
  if (!/^[a-z0-9-]+$/i.test(region)) problems.region = 'Enter a region such as eu-central-1'
  if (endpoint !== undefined && new URL(endpoint).search !== '') problems.endpoint = 'Enter a URL without a query'
  return problems
}
