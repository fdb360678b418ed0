import { defineSettings, type SettingsOf, setting } from '@tributary/connector-kit'
import { awsEndpoint, awsProblems, awsSettings } from '../../wire/aws/settings.ts'

export const settings = defineSettings({
  event_bus: setting.text({
    label: 'Event bus',
    help: 'Name or ARN of the event bus.',
    required: true,
    default: 'default',
    maxLength: 1600,
  }),
  source: setting.text({
    label: 'Source',
    help: 'The source of all events, which rules can match. It cannot begin with aws.',
    required: true,
    default: 'tributary',
    maxLength: 256,
  }),
  ...awsSettings({ permission: 'events:PutEvents' }),
  endpoint: awsEndpoint,
})

export type EventBridgeSettings = SettingsOf<typeof settings>

/** Checks rules that the setting types do not include. */
export const check = (given: Partial<EventBridgeSettings>): Record<string, string> => {
  const problems = awsProblems(given)
  const { event_bus: bus, source } = given
  // EventBusName in PutEventsRequestEntry: a name, or an ARN before it.
  if (bus !== undefined && !/^(arn:aws[\w-]*:events:[a-z]+-[\w-]+:\d{12}:event-bus\/)?[/.\w-]+$/.test(bus))
    problems.event_bus = 'Enter the name or the ARN of an event bus'
  if (source !== undefined && /^aws/i.test(source)) problems.source = 'Enter a source that does not begin with aws'
  return problems
}
