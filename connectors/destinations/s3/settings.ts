import { defineSettings, type SettingsOf, setting } from '@tributary/connector-kit'
import { bucketProblems, bucketSettings, endpointSettings } from '../../wire/s3/settings.ts'

export const settings = defineSettings({
  ...bucketSettings({ user: 'From a user or token that can write to the bucket.' }),
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
  ...endpointSettings,
})

export type S3Settings = SettingsOf<typeof settings>

/** Checks rules that the setting types do not include. */
export const check = ({ prefix = '', ...access }: Partial<S3Settings>): Record<string, string> => {
  const problems = bucketProblems(access)
  if (/\p{Cc}/u.test(prefix) || prefix.split('/').some((part) => part === '.' || part === '..'))
    problems.prefix = 'Use names joined by slashes, without . or ..'
  return problems
}
