import { defineSettings, type SettingsOf, setting } from '@tributary/connector-kit'
import { authenticationSettings } from './authentication.ts'

export const settings = defineSettings({
  url: setting.url({ label: 'URL', help: 'Where to send events, with http:// or https://.', required: true }),
  method: setting.choice({
    label: 'Method',
    help: 'The HTTP method of each request.',
    required: true,
    default: 'POST',
    choices: [
      { value: 'POST', label: 'POST' },
      { value: 'PUT', label: 'PUT' },
      { value: 'PATCH', label: 'PATCH' },
    ],
  }),
  headers: setting.headers({
    label: 'Headers',
    help: 'Sent with each request, for example Authorization. Stored encrypted.',
    sentTo: [{ setting: 'url', by: 'origin' }],
  }),
  ...authenticationSettings,
  signing_secret: setting.secret({
    label: 'Signing secret',
    help: 'Signs each request with HMAC-SHA256. Stored encrypted.',
    maxLength: 256,
    sentTo: [{ setting: 'url', by: 'origin' }],
  }),
  batching: setting.toggle({
    label: 'Send in batches',
    help: 'Off: one event per request. On: a JSON array of events.',
    default: false,
  }),
  batch_size: setting.number({
    label: 'Events per batch',
    help: 'At most this many events in one request.',
    default: 100,
    min: 1,
    max: 1000,
    showWhen: { field: 'batching', value: true },
  }),
  batch_wait_ms: setting.number({
    label: 'Maximum wait (ms)',
    help: 'A batch that is not full is sent after this time.',
    default: 1000,
    min: 0,
    max: 60_000,
    showWhen: { field: 'batching', value: true },
  }),
  ordered: setting.toggle({
    label: 'Keep order per user',
    help: 'On: one request at a time, in order of arrival. A retried event delays the events behind it. Off: faster, but later events can overtake a retried one.',
    default: false,
  }),
})

export type WebhookSettings = SettingsOf<typeof settings>
