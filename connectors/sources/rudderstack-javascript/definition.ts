import { seeItArrive } from '../arrival.ts'

/** Source: websites with RudderStack's JavaScript SDK. */
export const rudderstackJavascript = {
  slug: 'rudderstack-javascript',
  title: 'RudderStack JavaScript SDK',
  description:
    "Keep RudderStack's JavaScript SDK on your website and point it at this server. Only the two URLs change; your calls stay the same.",
  type: 1,
  docsUrl: 'https://www.rudderstack.com/docs/sources/event-streams/sdks/rudderstack-javascript-sdk/',
  guide: [
    {
      title: 'Install the SDK',
      text: 'The bundled build includes its plugins and loads nothing from elsewhere.',
      code: 'npm install @rudderstack/analytics-js',
      language: 'shell',
    },
    {
      title: 'Point it at this server',
      text: 'Use this server as both the data plane URL and the configuration URL.',
      code: `import { RudderAnalytics } from '@rudderstack/analytics-js/bundled'

export const analytics = new RudderAnalytics()
analytics.load('{{writeKey}}', '{{origin}}', { configUrl: '{{origin}}' })
analytics.page()`,
      language: 'javascript',
    },
    {
      title: 'Send events',
      text: 'Identify a user once you know their ID, and track what matters.',
      code: `analytics.identify('user-123', { email: 'jane@example.com', plan: 'pro' })
analytics.track('Order Completed', { order_id: '1001', total: 59.9, currency: 'EUR' })`,
      language: 'javascript',
    },
    seeItArrive('Events are sent within a second.'),
  ],
}
