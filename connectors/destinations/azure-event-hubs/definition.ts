import { defineDestination } from '@tributary/connector-kit'
import { sendEvent } from './actions/send-event.ts'
import { deliver, maxBytes, maxEvents, testConnection } from './deliver.ts'
import { check, settings } from './settings.ts'

const commands = `az eventhubs eventhub create --resource-group your-group \\
  --namespace-name your-namespace --name events
az eventhubs eventhub authorization-rule create --resource-group your-group \\
  --namespace-name your-namespace --eventhub-name events --name tributary --rights Send
az eventhubs eventhub authorization-rule keys list --resource-group your-group \\
  --namespace-name your-namespace --eventhub-name events --name tributary`

/** Sends events in batches to an event hub of Azure, by HTTPS. */
export const azureEventHubs = defineDestination({
  slug: 'azure-event-hubs',
  title: 'Azure Event Hubs',
  description: 'Sends events in batches to an event hub of Microsoft Azure.',
  docs: {
    url: 'https://learn.microsoft.com/rest/api/eventhub/send-batch-events',
    steps: [
      {
        title: 'Create an event hub and a policy',
        text: 'Create an event hub, and a shared access policy for it with the claim Send. The last command shows its keys: enter the name of the policy and one of them in the settings.',
        code: commands,
        language: 'shell',
      },
      {
        title: 'Read the events',
        text: 'The body is the whole event as JSON, or an object of the fields you map. The properties `type` and `event` are for filters. Every event arrives at least once: use `eventId` to drop repeats.',
      },
      {
        title: 'Order',
        text: 'With a partition key, the events of one person are in one partition, in their order. A batch goes to one partition, so this needs a request for each person. For many events in order, use the destination Apache Kafka with the Kafka endpoint of the namespace instead.',
      },
      {
        title: 'Limits',
        text: 'Events over 1 MB are rejected, in the Basic tier over 256 KB. Others of their batch arrive. A throughput unit takes 1,000 events or 1 MB a second; Event Hubs delays what is over it, and Tributary sends it again later.',
      },
      {
        title: 'Test the connection',
        text: 'A policy with the claim Send may not read the event hub. The test then shows whether the key is right, and the first event whether it may send.',
      },
    ],
  },
  category: 'Databases and storage',
  kinds: ['Event Streams'],
  auth: 'key',
  settings,
  check,
  objects: [
    {
      name: 'events',
      title: 'Events',
      description: 'One event of the hub per event.',
      syncModes: ['INSERT_ONLY'],
      identifiers: [],
      actions: ['send_event'],
    },
  ],
  actions: [sendEvent],
  presets: [{ action: 'send_event', fields: {} }],
  batching: ({ partition_key: key }) => ({ maxEvents: key === 'person' ? 50 : maxEvents, maxBytes, maxWaitMs: 500 }),
  ordered: ({ partition_key: key }) => key === 'person',
  testConnection,
  deliver,
})
