import { defineSettings, type SettingsOf, setting } from '@tributary/connector-kit'

export const settings = defineSettings({
  namespace: setting.text({
    label: 'Host name of the namespace',
    help: 'As its overview in Azure shows it, such as your-namespace.servicebus.windows.net.',
    required: true,
    maxLength: 100,
  }),
  event_hub: setting.text({
    label: 'Event hub',
    help: 'Name of the event hub in the namespace.',
    required: true,
    maxLength: 256,
  }),
  partition_key: setting.choice({
    label: 'Partition key',
    help: 'Events with the same key are in the same partition, in their order. Each key needs a request.',
    required: true,
    default: 'none',
    choices: [
      { value: 'none', label: 'None: spread over all partitions, faster' },
      { value: 'person', label: 'User ID, else anonymous ID' },
    ],
  }),
  policy_name: setting.text({
    label: 'Policy name',
    help: 'Name of a shared access policy of the event hub or namespace with the claim Send.',
    required: true,
    maxLength: 256,
  }),
  policy_key: setting.secret({
    label: 'Policy key',
    help: 'Primary or secondary key of the policy. Stored encrypted.',
    required: true,
    maxLength: 256,
    sentTo: [{ setting: 'namespace', by: 'value' }],
  }),
})

export type EventHubsSettings = SettingsOf<typeof settings>

/**
 * The name of a namespace has 6 to 50 letters, digits, and hyphens ("Naming rules and restrictions for Azure resources",
 * Microsoft.EventHub). The domains are those of Azure, Azure Government, and Azure in China.
 */
const namespaceForm = /^[a-z][a-z0-9-]{4,48}[a-z0-9]\.servicebus\.(windows\.net|usgovcloudapi\.net|chinacloudapi\.cn)$/i

/** Checks rules that the setting types do not include. */
export const check = ({ namespace, event_hub: hub }: Partial<EventHubsSettings>): Record<string, string> => {
  const problems: Record<string, string> = {}
  if (namespace !== undefined && !namespaceForm.test(namespace))
    problems.namespace = 'Enter the host name, such as your-namespace.servicebus.windows.net'
  if (hub !== undefined && !/^[a-z0-9](?:[a-z0-9._-]{0,254}[a-z0-9])?$/i.test(hub))
    problems.event_hub = 'Use letters, digits, dots, hyphens, and underscores, with a letter or digit at both ends'
  return problems
}
