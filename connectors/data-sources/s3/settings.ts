import { defineSettings, type SettingsOf, setting } from '@tributary/connector-kit'
import { fileSettings } from '../../wire/files/settings.ts'
import { bucketProblems, bucketSettings, endpointSettings } from '../../wire/s3/settings.ts'

export const settings = defineSettings({
  ...bucketSettings({ user: 'From a user or token that can list the bucket and read its objects.' }),
  objects: setting.text({
    label: 'Objects',
    help: 'Which objects are read, such as `exports/*.csv`. `*` stands for any characters, slashes included.',
    required: true,
    maxLength: 500,
  }),
  which: setting.choice({
    label: 'If several objects match',
    help: 'Which of them are the rows.',
    required: true,
    default: 'all',
    choices: [
      { value: 'all', label: 'Read all of them together' },
      { value: 'newest', label: 'Read the one changed last' },
    ],
  }),
  ...fileSettings,
  ...endpointSettings,
})

export type S3SourceSettings = SettingsOf<typeof settings>

/** Checks rules that the setting types do not include. */
export const check = ({ objects = '', ...access }: Partial<S3SourceSettings>): Record<string, string> => {
  const problems = bucketProblems(access)
  if (/\p{Cc}/u.test(objects) || objects.startsWith('/') || objects.endsWith('/'))
    problems.objects = 'Enter a key such as exports/*.csv, without a slash at its beginning or end'
  return problems
}
