/** Returns the members of a small description: events are posted to the URL of a setting, with a key in a header. */
export const ownDescription = () => ({
  format: 1,
  slug: 'my-service',
  title: 'My service',
  category: 'Automation',
  description: 'Receives events as JSON.',
  docs_url: 'https://docs.example.com/api',
  settings: {
    url: { type: 'url', label: 'URL', help: 'The address of the service.', required: true },
    api_key: { type: 'secret', label: 'API key', help: 'A key of the service.', required: true },
  },
  servers: { api: { setting: 'url' } as object | string },
  auth: { default: [{ in: 'header', name: 'x-api-key', setting: 'api_key' }] as object[] } as Record<string, object[]>,
  requests: {
    send: { method: 'POST', server: 'api', path: '/events' },
    check: { method: 'GET', server: 'api', path: '/check' },
  },
  answers: {},
  objects: [
    { name: 'events', title: 'Events', description: 'Events.', sync_modes: [], identifiers: [], actions: ['track'] },
  ],
  actions: {
    track: {
      title: 'Send an event',
      description: 'Sends an event.',
      request: 'send',
      fields: {
        name: { label: 'Name', help: 'Name of the event.', type: 'string', kind: 'event', from: '$event_name' },
        user: { label: 'User', help: 'ID of the user.', type: 'string', kind: 'identity', from: 'userId' },
      },
      item: { name: '{{ name }}', user: '{{ user }}' },
    },
  },
  presets: [{ event_type: 'track', action: 'track' }],
  limits: { page: 'https://docs.example.com/limits', max_events: 10, max_bytes: 100_000, max_wait_ms: 0 },
  test: { request: 'check', message: 'The key works.' },
})
