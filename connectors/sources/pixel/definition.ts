import { seeItArrive } from '../arrival.ts'

/** Source: places where no script runs, such as emails. */
export const pixel = {
  slug: 'pixel',
  title: 'Tracking pixel',
  description:
    "Track opened emails and other places where scripts don't run. The event is part of the URL of an invisible one-pixel image.",
  type: 1,
  docsUrl: '/docs/collection',
  guide: [
    {
      title: 'Add the image',
      text: "Parameters are the event's fields; use dots to nest them. URL-encode values, and fill in the recipient's ID.",
      code: `<img src="{{origin}}/pixel/v1/track?writeKey={{writeKey}}&userId=user-123&event=Email%20Opened&properties.campaign=spring" width="1" height="1" alt="">`,
      language: 'html',
    },
    {
      title: 'Or send the event as data',
      text: 'The data parameter is the whole event as base64-encoded JSON, including the write key. Build the URL where you send the email.',
      code: `const event = { writeKey: '{{writeKey}}', userId: 'user-123', event: 'Email Opened', properties: { campaign: 'spring' } }
const data = encodeURIComponent(Buffer.from(JSON.stringify(event)).toString('base64'))
const address = \`{{origin}}/v1/pixel/track?data=\${data}\``,
      language: 'javascript',
    },
    {
      title: 'Know its limits',
      text: "Email clients load images through proxies, once, or not at all. Some opens are missed, and the IP address and device are often the proxy's. Refused events are listed under Refused requests.",
    },
    seeItArrive('The event is sent when the image loads.'),
  ],
}
