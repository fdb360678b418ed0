import { seeItArrive } from '../arrival.ts'
import { nodeEvents } from '../code-steps.ts'

/** Source: Node servers with @segment/analytics-node. */
export const node = {
  slug: 'node',
  title: 'Node.js',
  description:
    'Send events from your Node.js server with the analytics-node library. It batches calls, retries when the network fails, and flushes before your process ends.',
  type: 3,
  docsUrl: 'https://github.com/segmentio/analytics-next/tree/master/packages/node',
  guide: [
    {
      title: 'Install the library',
      text: 'Node.js 20 or newer. Versions 1 and 2 of the library are set up the same way.',
      code: 'npm install @segment/analytics-node',
      language: 'shell',
    },
    {
      title: 'Point it at this server',
      text: 'Create one instance for the whole process.',
      code: `import { Analytics } from '@segment/analytics-node'

export const analytics = new Analytics({
  writeKey: '{{writeKey}}',
  host: '{{origin}}',
})`,
      language: 'javascript',
    },
    nodeEvents,
    {
      title: 'Flush before the process ends',
      text: 'Calls are batched for up to ten seconds. Flush before you exit.',
      code: `await analytics.closeAndFlush()`,
      language: 'javascript',
    },
    seeItArrive('A batch is sent within ten seconds, or when you flush.'),
  ],
}
