import { defineSettings, type SettingsOf } from '@tributary/connector-kit'
import { bucketProblems, bucketSettings, endpointSettings } from '../../wire/s3/settings.ts'
import { prefixProblems, storageSettings } from '../../wire/storage/settings.ts'

export const settings = defineSettings({
  ...bucketSettings({ user: 'From a user or token that can write to the bucket.' }),
  ...storageSettings({ file: 'object', top: 'the bucket' }),
  ...endpointSettings,
})

export type S3Settings = SettingsOf<typeof settings>

/** Checks rules that the setting types do not include. */
export const check = ({ prefix, ...access }: Partial<S3Settings>): Record<string, string> => ({
  ...bucketProblems(access),
  ...prefixProblems({ prefix }),
})
