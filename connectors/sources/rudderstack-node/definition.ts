import { seeItArrive } from '../arrival.ts'

/** Source: Node servers with RudderStack's SDK. */
export const rudderstackNode = {
  slug: 'rudderstack-node',
  title: 'RudderStack Node.js SDK',
  description:
    "Keep RudderStack's Node.js SDK on your server and point it at this one. Batches, compression and retries work as before.",
  type: 3,
  docsUrl: 'https://www.rudderstack.com/docs/sources/event-streams/sdks/rudderstack-node-sdk/',
  guide: [
    {
      title: 'Install the SDK',
      text: 'Version 3 or newer.',
      code: 'npm install @rudderstack/rudder-sdk-node',
      language: 'shell',
    },
    {
      title: 'Point it at this server',
      text: 'Create one instance for the whole process.',
      code: `import RudderAnalytics from '@rudderstack/rudder-sdk-node'

export const client = new RudderAnalytics('{{writeKey}}', { dataPlaneUrl: '{{origin}}' })`,
      language: 'javascript',
    },
    {
      title: 'Send events',
      text: 'Calls are batched, so flush before the process ends.',
      code: `client.identify({ userId: 'user-123', traits: { email: 'jane@example.com', plan: 'pro' } })
client.track({ userId: 'user-123', event: 'Order Completed', properties: { order_id: '1001', total: 59.9 } })
client.flush()`,
      language: 'javascript',
    },
    seeItArrive('The first event is sent immediately, later ones in batches or when you flush.'),
  ],
}
