import { type DestinationDefinition, defineSettings, setting, type Warehouse } from '@tributary/connector-kit'

/** The answers of a warehouse. Tests replace them. */
export type WarehouseAnswers = Pick<
  Warehouse,
  'load' | 'tables' | 'count' | 'conversion' | 'changeType' | 'renameColumn' | 'dropColumn'
>

/** Returns the answers of a warehouse with one table, in which nothing is staged. */
export const emptyWarehouse = (): WarehouseAnswers => ({
  load: async () => ({ batches: 0, rows: {}, bytes: 0, unfit: 0, more: false }),
  tables: async () => [
    {
      name: 'order_completed',
      columns: [
        { name: 'id', type: 'text' },
        { name: 'received_at', type: 'time' },
        { name: 'total', type: 'number' },
        { name: 'extra_properties', type: 'json' },
      ],
    },
  ],
  count: async () => ({}),
  conversion: async () => ({ values: 3, convert: 2, fromExtra: 1, examples: ['many'] }),
  changeType: async () => undefined,
  renameColumn: async () => undefined,
  dropColumn: async () => undefined,
})

/** Makes a test destination that is a warehouse and gives these answers. */
export const warehouseDestination = (answers: WarehouseAnswers): DestinationDefinition => ({
  slug: 'tables',
  title: 'Tables',
  description: 'For tests.',
  docs: { url: 'https://docs.example/tables', steps: [] },
  settings: defineSettings({
    host: setting.text({ label: 'Host', help: '', required: true }),
    password: setting.secret({ label: 'Password', help: '', sentTo: [{ setting: 'host', by: 'value' }] }),
    load_minutes: setting.text({ label: 'Minutes', help: '', default: '60' }),
  }),
  category: 'Databases and storage',
  kinds: ['Event Streams'],
  auth: 'key',
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
  warehouse: {
    everyMinutes: ({ load_minutes }) => Number(load_minutes),
    hours: () => undefined,
    billed: () => true,
    types: ['text', 'number', 'time'],
    tablesOf: () => ['tracks', 'order_completed'],
    load: (context) => answers.load(context),
    tables: (context) => answers.tables(context),
    count: (context, span) => answers.count(context, span),
    conversion: (context, change) => answers.conversion(context, change),
    changeType: (context, change) => answers.changeType(context, change),
    renameColumn: (context, change) => answers.renameColumn(context, change),
    dropColumn: (context, change) => answers.dropColumn(context, change),
  },
})
