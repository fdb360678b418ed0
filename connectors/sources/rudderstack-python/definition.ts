import { seeItArrive } from '../arrival.ts'

/** Python programs that use RudderStack's SDK. */
export const rudderstackPython = {
  slug: 'rudderstack-python',
  title: 'RudderStack Python SDK',
  description:
    "Keep RudderStack's Python SDK in your programs and point it at this server. Batches, compression and retries work as before.",
  type: 3,
  docsUrl: 'https://www.rudderstack.com/docs/sources/event-streams/sdks/rudderstack-python-sdk/',
  guide: [
    {
      title: 'Install the SDK',
      text: 'Version 2 or newer.',
      code: 'pip install rudder-sdk-python',
      language: 'shell',
    },
    {
      title: 'Point it at this server',
      text: 'Set the key and the data plane once, where your program starts. The SDK adds the path `/v1/batch`.',
      code: `import rudderstack.analytics as rudder_analytics

rudder_analytics.write_key = '{{writeKey}}'
rudder_analytics.dataPlaneUrl = '{{origin}}'`,
      language: 'python',
    },
    {
      title: 'Send events',
      text: 'Every call needs a user ID or an anonymous ID.',
      code: `rudder_analytics.identify('user-123', {'email': 'jane@example.com', 'plan': 'pro'})
rudder_analytics.track('user-123', 'Order Completed', {'order_id': '1001', 'total': 59.9})`,
      language: 'python',
    },
    {
      title: 'Flush before the program ends',
      text: 'Calls are batched in memory. Flush before a script or worker exits.',
      code: 'rudder_analytics.shutdown()',
      language: 'python',
    },
    seeItArrive('A batch is sent within half a second.'),
  ],
}
