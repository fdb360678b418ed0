import { seeItArrive } from '../arrival.ts'
import { pythonEvents, pythonFlush } from '../code-steps.ts'

/** Source: Python programs with RudderStack's SDK. */
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
    pythonEvents('rudder_analytics'),
    pythonFlush('rudder_analytics'),
    seeItArrive('A batch is sent within half a second.'),
  ],
}
