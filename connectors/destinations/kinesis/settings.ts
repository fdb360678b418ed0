import { defineSettings, type SettingsOf, setting } from '@tributary/connector-kit'
import { awsEndpoint, awsProblems, awsSettings } from '../../wire/aws/settings.ts'

export const settings = defineSettings({
  stream_name: setting.text({
    label: 'Stream',
    help: 'Name of the data stream.',
    required: true,
    maxLength: 128,
  }),
  partition_key: setting.choice({
    label: 'Partition key',
    help: 'Records with the same key are in the same shard.',
    required: true,
    default: 'person',
    choices: [
      { value: 'person', label: 'User ID, else anonymous ID' },
      { value: 'event', label: 'Event ID: spread evenly' },
    ],
  }),
  ...awsSettings({ permission: 'kinesis:PutRecords' }),
  endpoint: awsEndpoint,
})

export type KinesisSettings = SettingsOf<typeof settings>

/** Checks rules that the setting types do not include. */
export const check = (given: Partial<KinesisSettings>): Record<string, string> => {
  const problems = awsProblems(given)
  const { stream_name: name } = given
  // StreamName in the API reference of Kinesis.
  if (name !== undefined && !/^[a-zA-Z0-9_.-]{1,128}$/.test(name))
    problems.stream_name = 'Use up to 128 letters, digits, dots, hyphens, and underscores'
  return problems
}
