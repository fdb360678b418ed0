import { defineSettings, type SettingsOf, setting } from '@tributary/connector-kit'
import { check as checkS3, type S3Settings, settings as s3Settings } from '../s3/settings.ts'

const { prefix, format, wait_seconds } = s3Settings.shape

export const settings = defineSettings({
  bucket: setting.text({ label: 'Bucket', help: 'Name of the bucket.', required: true, maxLength: 222 }),
  access_key_id: setting.text({
    label: 'Access ID',
    help: 'The access ID of an HMAC key for a service account that can write to the bucket.',
    required: true,
    maxLength: 128,
  }),
  secret_access_key: setting.secret({
    label: 'Secret',
    help: 'The secret of the HMAC key. Stored encrypted.',
    required: true,
    maxLength: 255,
    sentTo: [],
  }),
  prefix,
  format,
  wait_seconds,
})

export type CloudStorageSettings = SettingsOf<typeof settings>

/**
 * Returns the settings with which the code of S3 writes to Cloud Storage ("Simple migration from Amazon S3 to Cloud
 * Storage", with the region of its samples).
 */
export const asS3 = (given: CloudStorageSettings): S3Settings => ({
  ...given,
  region: 'auto',
  endpoint: 'https://storage.googleapis.com',
  path_style: true,
})

/** Checks rules that the setting types do not include. */
export const check = (given: Partial<CloudStorageSettings>): Record<string, string> => {
  const { bucket = '' } = given
  const problems = checkS3({ ...given, bucket: 'valid-name', region: 'auto' })
  // "Bucket naming requirements" of Cloud Storage: names with dots can have 222 characters.
  if (!/^[a-z0-9][a-z0-9._-]{1,220}[a-z0-9]$/.test(bucket))
    problems.bucket = 'Use 3 to 63 lowercase letters, digits, dots, hyphens, and underscores'
  return problems
}
