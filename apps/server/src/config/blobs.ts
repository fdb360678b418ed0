import type { SettingValues } from './settings.ts'

/** The location of blobs: a folder in the data folder, or a bucket, below `prefix` if that is not empty. */
export type BlobsConfig =
  | { kind: 'embedded' }
  | {
      kind: 's3'
      prefix: string
      access: {
        bucket: string
        region: string
        access_key_id: string
        secret_access_key: string
        endpoint: string | undefined
        path_style: boolean
      }
    }

const needed = ['BLOBS_S3_ACCESS_KEY_ID', 'BLOBS_S3_SECRET_ACCESS_KEY']
const optional = ['BLOBS_S3_REGION', 'BLOBS_S3_ENDPOINT', 'BLOBS_S3_PREFIX', 'BLOBS_S3_PATH_STYLE']
const known = new Set(['BLOBS_S3_BUCKET', ...needed, ...optional])

/** Reports settings of the bucket that conflict. */
export const blobsProblems = (environment: Readonly<Record<string, string | undefined>>): string[] => {
  const problems: string[] = []
  const isSet = (name: string): boolean => Boolean(environment[name])
  for (const name of ['S3_URL', 'S3_BUCKET'])
    if (isSet(name)) problems.push(`${name}: this setting does not exist. Set BLOBS_S3_BUCKET, or remove it`)
  for (const name of Object.keys(environment))
    if (name.startsWith('BLOBS_') && !known.has(name)) problems.push(`${name}: this setting does not exist`)
  if (!isSet('BLOBS_S3_BUCKET')) {
    for (const name of [...needed, ...optional]) if (isSet(name)) problems.push(`${name}: requires BLOBS_S3_BUCKET`)
    return problems
  }
  for (const name of needed) if (!isSet(name)) problems.push(`${name}: is required with BLOBS_S3_BUCKET`)
  return problems
}

/** Reads the location of blobs from settings without problems. */
export const blobsOf = (values: SettingValues): BlobsConfig =>
  values.BLOBS_S3_BUCKET === undefined
    ? { kind: 'embedded' }
    : {
        kind: 's3',
        prefix: values.BLOBS_S3_PREFIX,
        access: {
          bucket: values.BLOBS_S3_BUCKET,
          region: values.BLOBS_S3_REGION,
          access_key_id: values.BLOBS_S3_ACCESS_KEY_ID ?? '',
          secret_access_key: values.BLOBS_S3_SECRET_ACCESS_KEY ?? '',
          endpoint: values.BLOBS_S3_ENDPOINT,
          path_style: values.BLOBS_S3_PATH_STYLE === 'on',
        },
      }
