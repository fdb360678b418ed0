import type { SourceDefinition } from '@tributary/connector-kit'
import { seeItArrive } from '../arrival.ts'
import { receive } from './receive.ts'

/** Services that call a webhook of their own shape. */
export const webhook: SourceDefinition = {
  slug: 'webhook',
  title: 'Webhook',
  description:
    'Take what a service without a library sends to a webhook: forms, payments, tickets. Each call becomes a track event whose properties are the JSON that was sent, or what a template of yours makes of it.',
  type: 5,
  logo: '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 48 48"><rect width="48" height="48" rx="10" fill="#8a4fbf"/><path d="M17 12v12a7 7 0 0 0 14 0v-3M31 21l-5 5M31 21l5 5M17 12l-5 5M17 12l5 5" fill="none" stroke="#fff" stroke-width="3.6" stroke-linecap="round" stroke-linejoin="round"/></svg>',
  guide: [
    {
      title: 'Enter this address at the service',
      text: 'Where the service asks for a webhook or callback address. It calls with POST and a JSON body, or with GET and parameters. A service that can send headers may give the key as `X-Write-Key` instead.',
      code: '{{origin}}/v1/webhook?writeKey={{writeKey}}',
      language: 'address',
    },
    {
      title: 'Or try it by hand',
      text: 'The answer `{"success":true}` means that the event is on disk.',
      code: `curl '{{origin}}/v1/webhook?writeKey={{writeKey}}' \\
  -H 'Content-Type: application/json' \\
  -d '{"ticket": 4711, "state": "closed"}'`,
      language: 'shell',
    },
    {
      title: 'Know what becomes of a call',
      text: 'Without a template each call is an event of the name `webhook_source_event` with an anonymous id of its own; a list stands in the property `items`. The calls are not checked for a signature: whoever has the address can send.',
    },
    {
      title: 'Make the events you want of it',
      text: 'Under **Settings, Template** a Liquid template says what becomes of a call: its name, its user, its properties. The preview there shows the event for a body that you paste.',
      code: `{
  "type": "track",
  "event": "Ticket {{ body.state }}",
  "userId": "{{ body.customer.id }}",
  "messageId": "{{ body.id }}",
  "properties": {{ body | json }}
}`,
      language: 'liquid',
    },
    seeItArrive('Nothing waits: each call is an event.'),
  ],
  fields: [
    {
      name: 'template',
      label: 'Template',
      help: 'Liquid that renders to one event, or to a list of events, as JSON. Without it each call becomes a track event whose properties are its body.',
      type: 'template',
      required: false,
      secret: false,
      editable: true,
    },
  ],
  webhook: { receive, signed: false },
}
