import { defineSettings, type SettingsOf, setting } from '@tributary/connector-kit'
import { awsEndpoint, awsProblems, awsSettings } from '../../wire/aws/settings.ts'

export const settings = defineSettings({
  stream_name: setting.text({
    label: 'Stream',
    help: 'Name of the Firehose stream. Its source must be Direct PUT.',
    required: true,
    maxLength: 64,
  }),
  ...awsSettings({ permission: 'firehose:PutRecordBatch' }),
  endpoint: awsEndpoint,
})

export type FirehoseSettings = SettingsOf<typeof settings>

/** Checks rules that the setting types do not include. */
export const check = (given: Partial<FirehoseSettings>): Record<string, string> => {
  const problems = awsProblems(given)
  const { stream_name: name } = given
  // DeliveryStreamName in the API reference of Firehose.
  if (name !== undefined && !/^[a-zA-Z0-9_.-]{1,64}$/.test(name))
    problems.stream_name = 'Use up to 64 letters, digits, dots, hyphens, and underscores'
  return problems
}
