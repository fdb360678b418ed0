import { seeItArrive } from '../arrival.ts'

/** Source: any program that can send an HTTP request. */
export const http = {
  slug: 'http',
  title: 'HTTP API',
  description:
    'Send events from any language or tool with plain HTTP requests and JSON. It uses the common tracking API, so libraries written for it work once you set their host.',
  type: 3,
  docsUrl: '/docs/collection',
  guide: [
    {
      title: 'Send one event',
      text: 'The write key is the user name of basic authorization; the password is empty. The response {"success":true} means that the event is on disk.',
      code: `curl {{origin}}/v1/track \\
  -u '{{writeKey}}:' \\
  -H 'Content-Type: application/json' \\
  -d '{"userId": "user-123", "event": "Order Completed", "properties": {"total": 59.9}}'`,
      language: 'shell',
    },
    {
      title: 'Identify the user',
      text: 'The other calls are /v1/identify, /v1/page, /v1/screen, /v1/group and /v1/alias.',
      code: `curl {{origin}}/v1/identify \\
  -u '{{writeKey}}:' \\
  -H 'Content-Type: application/json' \\
  -d '{"userId": "user-123", "traits": {"email": "jane@example.com", "plan": "pro"}}'`,
      language: 'shell',
    },
    {
      title: 'Send many events at once',
      text: "A batch can have up to 2,500 events and 4 MB, optionally gzipped, with up to 32 kB per event. Give each event a messageId so retried requests don't count twice.",
      code: `curl {{origin}}/v1/batch \\
  -u '{{writeKey}}:' \\
  -H 'Content-Type: application/json' \\
  -d '{"batch": [
    {"type": "track", "messageId": "order-1001", "userId": "user-123", "event": "Order Completed"},
    {"type": "page", "messageId": "page-77", "anonymousId": "visitor-9", "name": "Home"}
  ]}'`,
      language: 'shell',
    },
    {
      title: 'Handle responses',
      text: 'For 429 and 503, send the same request again after Retry-After seconds. Other responses from 400 up say what to fix and are listed under Refused requests.',
    },
    seeItArrive('Each request is sent immediately.'),
  ],
}
