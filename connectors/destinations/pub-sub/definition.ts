import { defineDestination } from '@tributary/connector-kit'
import { publishMessage } from './actions/publish-message.ts'
import { deliver, maxBytes, maxMessages, testConnection } from './deliver.ts'
import { check, settings } from './settings.ts'

const commands = `gcloud pubsub topics create events
gcloud iam service-accounts create tributary
gcloud pubsub topics add-iam-policy-binding events \\
  --member=serviceAccount:tributary@your-project.iam.gserviceaccount.com --role=roles/pubsub.publisher
gcloud iam service-accounts keys create key.json \\
  --iam-account=tributary@your-project.iam.gserviceaccount.com`

/** Publishes events as messages to a topic of Google Cloud Pub/Sub. */
export const pubSub = defineDestination({
  slug: 'pub-sub',
  title: 'Google Cloud Pub/Sub',
  description: 'Publishes events as messages to a topic of Google Cloud Pub/Sub.',
  docs: {
    url: 'https://cloud.google.com/pubsub/docs/reference/rest/v1/projects.topics/publish',
    steps: [
      {
        title: 'Create a topic and a service account',
        text: 'Create a service account with the role Pub/Sub Publisher on the topic, and a JSON key for it. Paste the whole key into the settings.',
        code: commands,
        language: 'shell',
      },
      {
        title: 'Read the messages',
        text: 'The data of a message is the whole event as JSON, or an object of the fields you map. The attributes `type` and `event` are for filters of subscriptions. Every event arrives at least once: use `eventId` to drop repeats.',
      },
      {
        title: 'Order',
        text: 'With ordering keys, the messages of one person arrive in their order at subscriptions with message ordering. The key is the user ID, else the anonymous ID. A request can have one key only, so this needs more requests.',
      },
      {
        title: 'Schemas',
        text: 'If the topic has a schema, an event that does not follow it is rejected. Others of its batch arrive.',
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
      name: 'messages',
      title: 'Messages',
      description: 'One message per event.',
      syncModes: ['INSERT_ONLY'],
      identifiers: [],
      actions: ['publish_message'],
    },
  ],
  actions: [publishMessage],
  presets: [{ action: 'publish_message', fields: {} }],
  batching: ({ ordering }) => ({ maxEvents: ordering ? 50 : maxMessages, maxBytes, maxWaitMs: 500 }),
  ordered: ({ ordering }) => ordering,
  testConnection,
  deliver,
})
