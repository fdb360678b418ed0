import type { DestinationDefinition, Settings } from '@tributary/connector-kit'
import { deliver, testConnection } from './deliver.ts'
import { logo } from './logo.ts'

const check = (settings: Settings): Record<string, string> => {
  const url = typeof settings.webhook_url === 'string' ? URL.parse(settings.webhook_url.trim()) : null
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:') || url.pathname === '/')
    return { webhook_url: 'Enter the whole address that Slack shows, https://hooks.slack.com/services/…' }
  return {}
}

/** Limits: Slack, "Rate limits": one message a second for a webhook, bursts aside. */
export const slack: DestinationDefinition = {
  slug: 'slack',
  title: 'Slack',
  description: 'Posts a message to a channel for the events you choose, in your own words.',
  logo,
  docs: {
    url: 'https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks',
    steps: [
      {
        title: 'Make an app in Slack',
        text: 'At `api.slack.com/apps` choose **Create New App, From scratch**, give it a name and choose the workspace. The name and picture of the app are those of its messages.',
      },
      {
        title: 'Switch on incoming webhooks',
        text: 'In the app open **Incoming Webhooks**, switch **Activate Incoming Webhooks** on, then **Add New Webhook** and choose the channel. Each webhook posts to that one channel: for another channel add another destination.',
      },
      {
        title: 'Copy the webhook URL',
        text: 'It begins with `https://hooks.slack.com/services/`. Whoever knows it can post to the channel: it is stored encrypted here and shown nowhere.',
      },
      {
        title: 'Choose the events and the words',
        text: 'At first every track event is a message. On the page of the mappings choose the events that are worth one, and write the text as a template: `{{ event }}`, `{{ user_key }}` and `{{ properties.total }}` stand for what the event has. `*bold*` and `_italic_` work.',
      },
      {
        title: 'Mind the pace',
        text: 'Slack takes about one message a second for a channel. More of them wait here in their order of arrival, so choose events that people want to read.',
      },
    ],
  },
  fields: [
    {
      name: 'webhook_url',
      label: 'Webhook URL',
      help: 'The address of the incoming webhook. Stored encrypted.',
      type: 'secret',
      required: true,
      maxLength: 500,
      secret: true,
      sentTo: [],
      editable: true,
    },
    {
      name: 'allow_links',
      label: 'Links and mentions',
      help: "On: links such as `<https://example.com|text>` and mentions such as `<!channel>` work, those in the events' own texts too. Off: they show as they are written.",
      type: 'boolean',
      required: false,
      default: false,
      secret: false,
      editable: true,
    },
  ],
  check,
  kinds: ['Event Streams'],
  auth: 'key',
  objects: [
    {
      name: 'messages',
      title: 'Messages',
      description: "A message in the webhook's channel for each event.",
      syncModes: ['INSERT_ONLY'],
      identifiers: [],
      actions: ['send_message'],
    },
  ],
  actions: [
    {
      name: 'send_message',
      title: 'Send message',
      description: "Posts a message to the webhook's channel.",
      targets: [
        {
          name: 'text',
          label: 'Text',
          help: 'The message, and with blocks what notifications show. Up to 40,000 characters.',
          type: 'string',
          required: true,
          recommended: true,
          kind: 'custom',
        },
        {
          name: 'blocks',
          label: 'Blocks',
          help: 'A list of up to 50 blocks of Slack\'s Block Kit, which then are the message. In a template write values as JSON: {"text": {{ event | json }}}.',
          type: 'array',
          required: false,
          recommended: false,
          kind: 'custom',
        },
        {
          name: 'thread_ts',
          label: 'Thread',
          help: 'The time stamp of a message in the channel, which this one answers. A webhook cannot set its name, picture or channel: those are set in Slack.',
          type: 'string',
          required: false,
          recommended: false,
          kind: 'custom',
        },
      ],
      customTargets: false,
      wholeEvent: false,
      eventTypes: [],
    },
  ],
  presets: [
    {
      eventType: 'track',
      action: 'send_message',
      fields: { text: { type: 'TEMPLATE', value: '*{{ event }}* by {{ user_key }}' } },
    },
  ],
  batching: () => ({ maxEvents: 1, maxBytes: Number.MAX_SAFE_INTEGER, maxWaitMs: 0 }),
  rate: () => ({ requests: 1, perMs: 1000 }),
  concurrency: 1,
  testConnection,
  deliver,
}
