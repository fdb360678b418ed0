import { defineDestination } from '@tributary/connector-kit'
import { sendMessage } from './actions/send-message.ts'
import { deliver, testConnection } from './deliver.ts'
import { check, settings } from './settings.ts'

/** Limits: Slack, "Rate limits": one message per second for a webhook, except for bursts. */
export const slack = defineDestination({
  slug: 'slack',
  title: 'Slack',
  description: 'Posts a message to a channel for the events you choose.',
  docs: {
    url: 'https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks',
    steps: [
      {
        title: 'Create a Slack app',
        text: "At `api.slack.com/apps`, choose **Create New App, From scratch**, name it, and choose the workspace. Messages show the app's name and icon.",
      },
      {
        title: 'Turn on incoming webhooks',
        text: 'In the app, open **Incoming Webhooks**, turn on **Activate Incoming Webhooks**, then choose **Add New Webhook** and a channel. Each webhook posts to one channel. Add one for each channel that you need.',
      },
      {
        title: 'Copy the webhook URL',
        text: 'It starts with `https://hooks.slack.com/services/`. Anyone who has it can post to the channel, so Tributary stores it encrypted and never shows it.',
      },
      {
        title: 'Choose a channel per event',
        text: 'A destination has up to six webhooks. Give each further one a name in the settings, such as `alerts`. In a mapping, enter that name in the field **Webhook**. Events whose webhook has no such name are dead letters. If a webhook is removed in Slack, all events of the destination wait until you replace its URL.',
      },
      {
        title: 'Choose events and text',
        text: "By default, every track event posts a message. A mapping for identify calls is there, too, but off. On the **Mappings** tab, choose the events to post and write the text as a template: `{{ event }}`, `{{ user_key }}` and `{{ properties.total }}` are replaced with the event's values. `*bold*` and `_italic_` work.",
      },
      {
        title: 'Mind the rate limit',
        text: 'Slack accepts about one message per second per channel. Further messages wait in order, so choose events that people want to read.',
      },
    ],
  },
  settings,
  check,
  category: 'Chat and work',
  popular: true,
  kinds: ['Event Streams'],
  auth: 'key',
  objects: [
    {
      name: 'messages',
      title: 'Messages',
      description: 'One message per event in the channel of its webhook.',
      syncModes: ['INSERT_ONLY'],
      identifiers: [],
      actions: ['send_message'],
    },
  ],
  actions: [sendMessage],
  presets: [
    {
      eventType: 'track',
      action: 'send_message',
      fields: { text: { type: 'TEMPLATE', value: '*{{ event }}* by {{ user_key }}' } },
    },
    {
      since: 2,
      enabled: false,
      eventType: 'identify',
      action: 'send_message',
      fields: {
        text: {
          type: 'TEMPLATE',
          value: 'Identified *{{ traits.name | default: traits.email | default: user_key }}*',
        },
      },
    },
  ],
  batching: () => ({ maxEvents: 1, maxBytes: Number.MAX_SAFE_INTEGER, maxWaitMs: 0 }),
  rate: () => ({ requests: 1, perMs: 1000 }),
  concurrency: 1,
  testConnection,
  deliver,
})
