import { seeItArrive } from '../arrival.ts'
import { nodeEvents } from '../code-steps.ts'

/** Source: Node servers with the old package analytics-node, which @segment/analytics-node has replaced. */
export const analyticsNode = {
  slug: 'analytics-node',
  title: 'Node.js (analytics-node)',
  description:
    'Keep the older analytics-node package and point it at this server. For new code, use @segment/analytics-node, which has its own source.',
  type: 3,
  docsUrl: 'https://www.npmjs.com/package/analytics-node',
  guide: [
    {
      title: 'Install the library',
      text: 'Version 6. It is no longer developed but keeps working.',
      code: 'npm install analytics-node',
      language: 'shell',
    },
    {
      title: 'Point it at this server',
      text: 'Create one instance for the whole process. The library adds the path `/v1/batch` to the host.',
      code: `import Analytics from 'analytics-node'

export const analytics = new Analytics('{{writeKey}}', { host: '{{origin}}' })`,
      language: 'javascript',
    },
    nodeEvents,
    {
      title: 'Flush before the process ends',
      text: 'Calls are batched in memory. Flush before you exit.',
      code: 'await analytics.flush()',
      language: 'javascript',
    },
    seeItArrive('The first event is sent immediately, later ones within ten seconds or when you flush.'),
  ],
}
