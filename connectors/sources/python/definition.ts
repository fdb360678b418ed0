import { seeItArrive } from '../arrival.ts'
import { pythonEvents, pythonFlush } from '../code-steps.ts'

/** Source: Python programs with segment-analytics-python. */
export const python = {
  slug: 'python',
  title: 'Python',
  description:
    'Send events from your Python programs and web applications with the segment-analytics-python library. It batches calls in its own thread and retries when the network fails.',
  type: 3,
  docsUrl: 'https://github.com/segmentio/analytics-python',
  guide: [
    {
      title: 'Install the library',
      text: 'Python 3.9 or newer.',
      code: 'pip install segment-analytics-python',
      language: 'shell',
    },
    {
      title: 'Point it at this server',
      text: 'Set the key and the host once, where your program starts. The library adds the path `/v1/batch` to the host.',
      code: `import segment.analytics as analytics

analytics.write_key = '{{writeKey}}'
analytics.host = '{{origin}}'`,
      language: 'python',
    },
    pythonEvents('analytics'),
    pythonFlush('analytics'),
    seeItArrive('A batch is sent within half a second.'),
  ],
}
