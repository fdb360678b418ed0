import { seeItArrive } from '../arrival.ts'
import { lettersLogo } from '../letters.ts'

/** Node servers that still use the package analytics-node, which @segment/analytics-node followed. */
export const analyticsNode = {
  slug: 'analytics-node',
  title: 'Node.js (analytics-node)',
  description:
    'Keep the older analytics-node package on your server and point it at this one. New programs take @segment/analytics-node, which has a source of its own.',
  type: 3,
  docsUrl: 'https://www.npmjs.com/package/analytics-node',
  logo: lettersLogo('An', '#3c873a'),
  guide: [
    {
      title: 'Install the library',
      text: 'Version 6. It is no longer developed; it goes on working.',
      code: 'npm install analytics-node',
      language: 'shell',
    },
    {
      title: 'Point it at this server',
      text: 'Make one instance for the whole process. The library adds the path `/v1/batch` to the host.',
      code: `import Analytics from 'analytics-node'

export const analytics = new Analytics('{{writeKey}}', { host: '{{origin}}' })`,
      language: 'javascript',
    },
    {
      title: 'Send events',
      text: 'Every call names the user, or an anonymous id.',
      code: `analytics.identify({ userId: 'user-123', traits: { email: 'jane@example.com', plan: 'pro' } })
analytics.track({ userId: 'user-123', event: 'Order Completed', properties: { order_id: '1001', total: 59.9 } })`,
      language: 'javascript',
    },
    {
      title: 'Flush before the process ends',
      text: 'Calls wait in memory for their batch. Send what waits before you exit.',
      code: 'await analytics.flush()',
      language: 'javascript',
    },
    seeItArrive('The first event leaves at once, later ones after ten seconds at the latest, and when you flush.'),
  ],
}
