import type { DestinationDefinition, FieldDefinition, Settings } from '@tributary/connector-kit'

const field = (name: string, more: Partial<FieldDefinition> = {}): FieldDefinition => ({
  name,
  label: name,
  help: '',
  type: 'string',
  required: false,
  secret: false,
  editable: true,
  ...more,
})
const text = (value: Settings[string]): string => (typeof value === 'string' ? value : '')

/** A destination that somebody has to permit by OAuth 2. */
export const testPermittedDestination: DestinationDefinition = {
  slug: 'permitted',
  title: 'Permitted',
  description: 'd',
  docs: { url: 'https://docs.example', steps: [] },
  fields: [
    field('authorize_url', { type: 'url' }),
    field('token_url', { type: 'url' }),
    field('client_id'),
    field('client_secret', { type: 'secret', secret: true, sentTo: [{ setting: 'token_url', by: 'value' }] }),
    field('api_url', { type: 'url' }),
  ],
  kinds: ['Event Streams'],
  auth: 'oauth2',
  oauth2: (settings) => ({
    authorizeUrl: text(settings.authorize_url),
    tokenUrl: text(settings.token_url),
    tokensSentTo: [text(settings.api_url)],
    clientId: text(settings.client_id),
    clientSecret: text(settings.client_secret),
    clientAuthentication: 'basic',
    scopes: ['openid', 'email'],
  }),
  objects: [],
  actions: [
    {
      name: 'send',
      title: 'Send event',
      description: 'Sends the event.',
      targets: [],
      customTargets: true,
      wholeEvent: true,
      eventTypes: [],
    },
  ],
  presets: [{ action: 'send', fields: {} }],
  batching: () => ({ maxEvents: 1, maxBytes: 1, maxWaitMs: 0 }),
  testConnection: async () => ({ ok: true, message: 'It answers.' }),
  deliver: async () => ({ outcomes: { kind: 'delivered' }, httpStatus: 200, latencyMs: 0 }),
}
