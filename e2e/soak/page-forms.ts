import { createSource, createWebhook, createWorkspace, type PostgresPeer, type Product } from '@tributary/test-kit'

/** The API call that saves a form of a page. The page's code creates its body from the server's earlier response. */
export type PageForm = {
  form: string
  /** Name of the contract's method. */
  method: string
  verb: 'POST' | 'PUT' | 'PATCH'
  path: string
  body: object
  /**
   * Whether only pages of this version send the call, because it uses fields that the previous version did not have.
   */
  isNew?: true
}

const named = (answer: Record<string, unknown>): string => String(answer['name'])

const sourceBase = { display_name: '', is_event_name_key: false, kind: 'custom' }
const eventQuery = (more: object) => ({
  operator: 'and',
  includeAnonymous: true,
  groups: {
    g001: {
      tableName: 'users',
      operator: 'and',
      segments: [
        {
          id: 's001',
          tableName: 'users',
          queries: [
            {
              id: 'q001',
              type: 'event',
              selectedEvent: 'Order Completed',
              selectedAudience: null,
              count: { operator: 'at_least', value: 3 },
              timeframe: { time: { unit: 'day', value: 90 } },
              selectedAttributes: [
                { id: 'a001', name: 'total', valueType: 'number', operator: 'greater_than', value: '100', values: [] },
              ],
              ...more,
            },
          ],
        },
      ],
    },
  },
})
const definition = (operation: string) => ({
  event: 'Order Completed',
  operation,
  property: 'total',
  window_days: 30,
  conditions: [{ id: 'a001', name: 'currency', valueType: 'text', operator: 'exists', value: '', values: [] }],
})

/** Creates the objects of the forms in their own workspace, and returns the server's responses about them. */
const seedForms = async ({ api }: Product, peer: PostgresPeer) => {
  const { workspace, organization } = await createWorkspace(api, 'Forms')
  const { source } = await createSource(api, workspace, 'Shop')
  const destination = await createWebhook(api, workspace, source, { url: 'https://receiver.example/' }, 'Receiver')
  const meta = named(
    await api.ok('POST', `/${workspace}/destinations`, {
      title: 'Meta',
      app: { name: 'catalogDestinations/meta-conversions' },
      settings: { pixel_id: '1234567890123456', access_token: 'a-token-of-nobody' },
    }),
  )
  const settings = { ...peer.access, tls: 'off' }
  const database = named(
    await api.ok('POST', `/${workspace}/dataSources`, {
      title: 'Database',
      app: { name: 'catalogDataSources/postgresql' },
      settings,
    }),
  )
  const warehouse = named(
    await api.ok('POST', `/${workspace}/destinations`, {
      title: 'Warehouse',
      app: { name: 'catalogDestinations/postgresql' },
      settings: { ...settings, schema: 'synced' },
    }),
  )
  const model = named(
    await api.ok('POST', `/${workspace}/models`, {
      title: 'Customers',
      data_source: database,
      query: { sql: 'select 1 as id, 2 as total' },
      primary_key: ['id'],
    }),
  )
  const mappings = await api.ok('GET', `/${destination}/mappings`)
  const { schema } = (await api.ok('GET', `/${source}`)) as { schema: { version: number } }
  return { workspace, organization, source, destination, meta, warehouse, model, mappings, schema }
}

type Seeded = Awaited<ReturnType<typeof seedForms>>

const formsOfConnections = ({ workspace, source, destination, mappings, schema }: Seeded): PageForm[] => [
  {
    form: 'settings of a workspace',
    method: 'workspaces.update',
    verb: 'PATCH',
    path: `/${workspace}?update_mask=title`,
    body: { title: 'Renamed' },
  },
  {
    form: 'a source',
    method: 'sources.create',
    verb: 'POST',
    path: `/${workspace}/sources`,
    body: {
      title: 'Website',
      app: { name: 'catalogSources/http' },
      schema: { initial_template: { name: 'sourceSchemaTemplates/blank' } },
    },
  },
  {
    form: 'a destination',
    method: 'destinations.create',
    verb: 'POST',
    path: `/${workspace}/destinations`,
    body: {
      title: 'Archive',
      app: { name: 'catalogDestinations/webhook' },
      settings: { url: 'https://archive.example/', ordered: false },
    },
  },
  {
    form: 'mappings',
    method: 'mappings.update',
    verb: 'PUT',
    path: `/${destination}/mappings`,
    body: {
      revision: mappings['revision'],
      event_mappings: [
        // Customized presets are kept as the server returned them.
        ...(mappings['event_mappings'] as object[]),
        {
          id: 'm001',
          event_name: 'Order Completed',
          event_type: 'track',
          destination: 'send',
          enabled: true,
          filter_match: 'all',
          filters: [{ id: 'c001', field: 'properties.total', operator: 'greater_than', value: '20' }],
          field_mappings: [
            {
              id: 'f001',
              enabled: true,
              source: { type: 'FIELD', name: 'properties.order_id', ...sourceBase },
              target: {
                name: 'id',
                display_name: '',
                is_required: false,
                is_recommended: false,
                type: 'string',
                kind: 'custom',
              },
            },
          ],
        },
      ],
    },
  },
  {
    form: 'a schema',
    method: 'sources.update',
    verb: 'PATCH',
    path: `/${source}?update_mask=schema&force_refresh=false`,
    body: {
      schema: JSON.stringify({ events: { 'Order Completed': { properties: { total: { type: 'number' } } } } }),
      schema_version: schema.version,
      schema_change: 'imported',
    },
  },
]

const formsOfProfiles = ({ workspace, organization, source, meta, warehouse, model }: Seeded): PageForm[] => [
  {
    form: 'an audience',
    method: 'audiences.create',
    verb: 'POST',
    path: `/${workspace}/audiences`,
    body: { title: 'High value', query: eventQuery({}) },
  },
  {
    form: 'an audience between two dates',
    method: 'audiences.create',
    verb: 'POST',
    path: `/${workspace}/audiences`,
    body: {
      title: 'Last winter',
      query: eventQuery({ timeframe: null, dates: { first: '2025-12-01', last: '2026-02-28' } }),
    },
    isNew: true,
  },
  {
    form: 'a computed trait',
    method: 'computedTraits.create',
    verb: 'POST',
    path: `/${workspace}/computedTraits`,
    body: { trait: 'spent_30_days', definition: definition('sum') },
  },
  {
    form: 'a computed trait of an operation that is new',
    method: 'computedTraits.create',
    verb: 'POST',
    path: `/${workspace}/computedTraits`,
    body: { trait: 'usual_total', definition: definition('most_frequent') },
    isNew: true,
  },
  {
    form: 'a sync',
    method: 'syncs.create',
    verb: 'POST',
    path: `/${workspace}/syncs`,
    body: {
      title: 'Customers to Warehouse',
      model,
      destination: warehouse,
      object: 'table',
      object_name: 'customers',
      mode: 'UPSERT_ONLY',
      identifier: 'id',
      fields: ['id', 'total'].map((column) => ({ column, target: column })),
      interval_minutes: 60,
    },
  },
  {
    form: 'a signal',
    method: 'signals.create',
    verb: 'POST',
    path: `/${workspace}/signals`,
    body: {
      title: 'Purchase',
      trigger: {
        type: 'events',
        sources: [source],
        events: [{ event_type: 'track', event_name: 'Order Completed' }],
        filters: [],
        filter_match: 'all',
      },
      conversion: { type: 'purchase', custom_name: '' },
      value: {
        type: 'event',
        amount_path: 'properties.total',
        currency_path: 'properties.currency',
        currency: 'USD',
      },
      event_id: { type: 'path', path: 'properties.order_id' },
      refunds: null,
      platforms: [{ destination: meta, event_name: '', test_event_code: '', field_mappings: null }],
      enabled: true,
      request_id: crypto.randomUUID(),
    },
  },
  {
    form: 'members and their role',
    method: 'invitations.batchCreate',
    verb: 'POST',
    path: `/${organization}/invitations:batchCreate`,
    body: { emails: ['ada@forms.example', 'grace@forms.example'], role: 1 },
  },
]

/** Returns ten forms of a workspace in the order in which pages save them. Each form starts with the server's data. */
export const pageForms = async (product: Product, peer: PostgresPeer): Promise<PageForm[]> => {
  const seeded = await seedForms(product, peer)
  return [...formsOfConnections(seeded), ...formsOfProfiles(seeded)]
}
