import type { SourceDefinition } from '@tributary/connector-kit'
import { seeItArrive } from '../arrival.ts'
import { conversionSchema } from '../conversion-schema.ts'

/** Source of signals: conversions from the company's own server. */
export const serverConversions: SourceDefinition = {
  slug: 'server-conversions',
  title: 'Server',
  description:
    'Send conversions from your own server over HTTP, such as orders by phone or leads that were won. Any library of the tracking API works as well.',
  type: 3,
  docsUrl: '/docs/conversions',
  targetProduct: 'SIGNALS',
  guide: [
    {
      title: 'Send an event',
      text: 'The write key is the user name of basic authorization; the password is empty. The `messageId` keeps a repeated request from counting twice.',
      code: `curl {{origin}}/v1/track \\
  -u '{{writeKey}}:' \\
  -H 'Content-Type: application/json' \\
  -d '{"messageId": "order-1001", "userId": "user-123", "event": "Order Completed",
    "properties": {"order_id": "1001", "value": 59.9, "currency": "EUR"},
    "context": {"traits": {"email": "jane@example.com", "phone": "+4930123456"},
      "clickIds": {"gclid": "EAIaIQobChMI"},
      "ip": "203.0.113.9", "userAgent": "Mozilla/5.0 (X11; Linux x86_64)",
      "consent": {"categoryPreferences": {"advertising": true}}}}'`,
      language: 'shell',
    },
    {
      title: 'Say whom it is of',
      text: 'The more of these an event has, the more conversions a platform can match: `email`, `phone`, `firstName`, `lastName`, and `address` in `context.traits`, the click IDs in `context.clickIds`, and the IP address and user agent of the browser, not of your server.',
    },
    {
      title: 'Join it with the visit',
      text: 'With the website tag of Tributary on your site, send the value of the cookie `trb_aid` as the `anonymousId`.',
    },
    seeItArrive('Each request is sent immediately.'),
  ],
  predefinedSchema: conversionSchema,
}
