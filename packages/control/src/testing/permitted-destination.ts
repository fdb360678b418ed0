import { defineDestination, defineSettings, setting } from '@tributary/connector-kit'

/** A test destination that needs an OAuth 2 grant. */
export const testPermittedDestination = defineDestination({
  slug: 'permitted',
  title: 'Permitted',
  description: 'd',
  docs: { url: 'https://docs.example', steps: [] },
  settings: defineSettings({
    authorize_url: setting.url({ label: 'authorize_url', help: '' }),
    token_url: setting.url({ label: 'token_url', help: '' }),
    client_id: setting.text({ label: 'client_id', help: '' }),
    client_secret: setting.secret({
      label: 'client_secret',
      help: '',
      sentTo: [{ setting: 'token_url', by: 'value' }],
    }),
    api_url: setting.url({ label: 'api_url', help: '' }),
  }),
  category: 'Automation',
  kinds: ['Event Streams'],
  auth: 'oauth2',
  oauth2: (settings) => ({
    authorizeUrl: settings.authorize_url ?? '',
    tokenUrl: settings.token_url ?? '',
    tokensSentTo: [settings.api_url ?? ''],
    clientId: settings.client_id ?? '',
    clientSecret: settings.client_secret ?? '',
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
})
