import { formatSourceSchema, type SourceSchema, type SourceWithSchema } from '@tributary/contract'

/** The resource name of the source in tests of pages. */
export const sourceName = 'workspaces/w1/sources/s1'

/** Returns the source with this version of its schema. */
export const sourceWith = (schema: SourceSchema, version: number): SourceWithSchema => ({
  name: sourceName,
  title: 'Shop',
  app: {
    name: `${sourceName}/app`,
    catalog_app: 'catalogSources/http',
    display_name: 'HTTP API',
    docs_url: '',
    type: 1,
    extra: { app_icon: '' },
    settings: [],
  },
  target_product: 'CDP',
  enabled: true,
  enforcement: 'allow',
  schema_version: version,
  create_time: '2026-01-01T00:00:00Z',
  update_time: '2026-01-01T00:00:00Z',
  has_received: false,
  last_event_time: null,
  schema: { schema: formatSourceSchema(schema), version, update_time: '2026-01-01T00:00:00Z' },
})
