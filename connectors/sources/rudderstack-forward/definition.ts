import { forwardedEvents } from '../forwarded.ts'

/** Source: a RudderStack workspace that forwards its events. */
export const rudderstackForward = {
  slug: 'rudderstack-forward',
  title: 'RudderStack',
  description:
    'Migrate without code changes. RudderStack forwards every event to this server through its webhook destination. Types, IDs, times, and context stay the same.',
  type: 5,
  docsUrl: 'https://www.rudderstack.com/docs/destinations/webhooks/',
  guide: [
    {
      title: 'Add a webhook destination in RudderStack',
      text: 'Choose the source to forward, then **Add destination** and **Webhook**. RudderStack must be able to reach this server; for HTTPS, its certificate must be valid.',
    },
    {
      title: 'Enter this URL',
      text: 'Set **Webhook URL** to this and **URL Method** to POST. No headers are needed.',
      code: '{{origin}}/v1/forward?writeKey={{writeKey}}',
      language: 'address',
    },
    {
      title: 'Turn it on',
      text: 'Save the destination in cloud mode and enable it. If you connect a transformation, this server receives its output.',
    },
    ...forwardedEvents('RudderStack'),
  ],
}
