import { defineSettings, type SourceDefinition, setting } from '@tributary/connector-kit'
import { seeItArrive } from '../arrival.ts'
import { receive } from './receive.ts'

/** Source: services that call a webhook with their own format. */
export const webhook: SourceDefinition = {
  slug: 'webhook',
  title: 'Webhook',
  description:
    'Receive webhooks from services without a library, such as forms, payments, and tickets. Each call becomes a track event with the JSON as its properties, or whatever your template returns.',
  type: 5,
  docsUrl: '/docs/collection',
  guide: [
    {
      title: 'Enter this URL in the service',
      text: 'Use it as the webhook or callback URL. The service can send POST with a JSON body, or GET with parameters. A service that can send headers can pass the key as `X-Write-Key` instead.',
      code: '{{origin}}/v1/webhook?writeKey={{writeKey}}',
      language: 'address',
    },
    {
      title: 'Or test it yourself',
      text: 'The response `{"success":true}` means that the event is on disk.',
      code: `curl '{{origin}}/v1/webhook?writeKey={{writeKey}}' \\
  -H 'Content-Type: application/json' \\
  -d '{"ticket": 4711, "state": "closed"}'`,
      language: 'shell',
    },
    {
      title: 'How calls become events',
      text: 'Without a template, each call is an event named `webhook_source_event` with its own anonymous ID. A list goes in the `items` property. Signatures are not checked, so anyone with the URL can send events.',
    },
    {
      title: 'Shape events with a template',
      text: "Under **Settings, Template**, write a Liquid template for the event's name, user, and properties. Paste a body to preview the event.",
      code: `{
  "type": "track",
  "event": "Ticket {{ body.state }}",
  "userId": "{{ body.customer.id }}",
  "messageId": "{{ body.id }}",
  "properties": {{ body | json }}
}`,
      language: 'liquid',
    },
    seeItArrive('Each call is sent immediately.'),
  ],
  settings: defineSettings({
    template: setting.template({
      label: 'Template',
      help: 'Liquid that renders to one event, or to a list of events, as JSON. Without it each call becomes a track event whose properties are its body.',
    }),
  }),
  webhook: { receive, signed: false },
}
