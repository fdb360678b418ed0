/** The description with which a blank own connector begins. It has no problems, and sends each event as JSON to a URL. */
export const blankDescription = (title: string): string =>
  `${JSON.stringify(
    {
      format: 1,
      slug: 'own',
      title,
      category: 'Automation',
      description: 'Sends events as JSON.',
      docs_url: 'https://example.com/docs',
      settings: {
        url: {
          type: 'url',
          label: 'URL',
          help: 'The address of the API, without the path of a request.',
          required: true,
        },
        api_key: { type: 'secret', label: 'API key', help: 'The key of the API. Stored encrypted.', required: true },
      },
      servers: { api: { setting: 'url' } },
      auth: { default: [{ in: 'header', name: 'Authorization', prefix: 'Bearer ', setting: 'api_key' }] },
      requests: {
        event: { method: 'POST', server: 'api', path: '/events' },
        test: { method: 'GET', server: 'api', path: '/' },
      },
      answers: { reason: ['message', 'error'] },
      objects: [
        {
          name: 'events',
          title: 'Events',
          description: 'One event for each track call.',
          sync_modes: ['INSERT_ONLY'],
          identifiers: [{ event: 'messageId' }],
          actions: ['track'],
        },
      ],
      actions: {
        track: {
          title: 'Send event',
          description: 'Sends an event.',
          request: 'event',
          event_types: ['track'],
          fields: {
            event: {
              label: 'Event',
              help: 'The name of the event.',
              type: 'string',
              kind: 'event',
              from: '$event_name',
            },
            user_id: {
              label: 'User ID',
              help: 'The ID of the user.',
              type: 'string',
              kind: 'identity',
              from: 'userId',
            },
            properties: {
              label: 'Properties',
              help: 'The properties of the event.',
              type: 'object',
              kind: 'property',
              from: 'properties',
            },
          },
          item: { event: '{{ event }}', user_id: '{{ user_id }}', properties: '{{ properties }}' },
        },
      },
      presets: [{ event_type: 'track', action: 'track' }],
      limits: {
        page: 'https://example.com/docs/limits',
        max_events: 100,
        max_bytes: 1_000_000,
        max_wait_ms: 1000,
      },
      test: { request: 'test', message: 'The address and the key work.' },
      vectors: { requests: [], answers: [] },
    },
    null,
    2,
  )}\n`
