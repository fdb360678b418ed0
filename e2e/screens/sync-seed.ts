import { createSource, createWorkspace, eventually, type PostgresPeer, type Product } from '@tributary/test-kit'

/** Objects for the screenshots of syncs. */
export type SyncSeed = {
  workspace: string
  dataSource: string
  model: string
  warehouse: string
  /** The sync that waits for approval, its first run, and the run that waits for approval. */
  sync: string
  done: string
  asks: string
  failed: string
  /** A run with rejected rows. */
  rejected: string
  /** A sync that reads new rows only, its second run, and a sync that never ran. */
  visits: string
  visited: string
  unrun: string
  /** A data source for uploaded files, and a data source that cannot be reached. */
  files: string
  away: string
}

const ended = ['succeeded', 'partial', 'failed', 'canceled', 'needs_approval']

/**
 * Creates a workspace with three syncs between schemas of a database: one that waits for approval, one with rejected
 * rows, and one that failed.
 */
export const seedSyncs = async ({ api }: Product, peer: PostgresPeer): Promise<SyncSeed> => {
  const { user } = peer.access
  await peer.query(`create schema shop authorization ${user}`)
  await peer.query('create table shop.customers (id bigint, email text, plan text, signed_up timestamptz)')
  await peer.query(
    `insert into shop.customers select n, 'customer-' || n || '@example.com', 'team', now() from generate_series(1, 240) as n`,
  )
  await peer.query(
    `insert into shop.customers values (null, 'eve@example.com', 'free', now()), (240, 'twin@example.com', 'free', now())`,
  )
  await peer.query('create table shop.orders (id bigint primary key, total numeric, customer_id bigint)')
  await peer.query('insert into shop.orders select n, n * 9.9, n % 240 from generate_series(1, 1200) as n')
  await peer.query(`grant select on all tables in schema shop to ${user}`)
  const { workspace } = await createWorkspace(api, 'Contoso Retail')
  const settings = { ...peer.access, tls: 'off' }
  const dataSource = await api.ok('POST', `/${workspace}/dataSources`, {
    title: 'Shop database',
    app: { name: 'catalogDataSources/postgresql' },
    settings,
  })
  const warehouse = await api.ok('POST', `/${workspace}/destinations`, {
    title: 'Warehouse',
    app: { name: 'catalogDestinations/postgresql' },
    settings: { ...settings, schema: 'synced' },
  })
  const model = (title: string, sql: string) =>
    api.ok('POST', `/${workspace}/models`, { title, data_source: dataSource.name, query: { sql }, primary_key: ['id'] })
  const sync = (from: { name?: unknown; title?: unknown }, columns: readonly string[], more: object) =>
    api.ok('POST', `/${workspace}/syncs`, {
      title: `${String(from.title)} to Warehouse`,
      model: from.name,
      destination: warehouse.name,
      object: 'table',
      object_name: String(from.title).toLowerCase(),
      identifier: 'id',
      fields: columns.map((column) => ({ column, target: column })),
      ...more,
    })
  const run = async (name: unknown): Promise<string> => {
    const begun = await api.ok('POST', `/${String(name)}:run`, {})
    await eventually(
      'a run ends or asks',
      async () => {
        const { state } = await api.ok('GET', `/${String(begun.name)}`)
        return ended.includes(String(state))
      },
      60_000,
    )
    return String(begun.name)
  }
  const customers = await model('Customers', 'select id, email, plan, signed_up from shop.customers')
  const asking = await sync(customers, ['id', 'email', 'plan'], { mode: 'FULL_SYNC', interval_minutes: 60 })
  const done = await run(asking.name)
  await peer.query('delete from shop.customers where id between 50 and 200')
  const asks = await run(asking.name)
  const orders = await sync(await model('Orders', 'select * from shop.orders'), ['id', 'total', 'customer_id'], {
    mode: 'UPSERT_ONLY',
    interval_minutes: 1440,
  })
  await run(orders.name)
  await peer.query('alter table synced.orders add constraint small check (total < 11900)')
  await peer.query('update shop.orders set total = total + 100 where id > 1180')
  const rejected = await run(orders.name)
  await peer.query('create table shop.invoices (id bigint, due date)')
  await peer.query(`grant select on shop.invoices to ${user}`)
  const invoices = await sync(await model('Invoices', 'select id, due from shop.invoices'), ['id', 'due'], {
    mode: 'INSERT_ONLY',
  })
  await peer.query('drop table shop.invoices')
  const failed = await run(invoices.name)
  await peer.query('create table shop.visits (id bigint primary key, page text, visited_at timestamptz)')
  await peer.query(
    `insert into shop.visits select n, '/pages/' || n % 7, now() - interval '2 days' + n * interval '1 minute' from generate_series(1, 900) as n`,
  )
  await peer.query(`grant select on shop.visits to ${user}`)
  const visitsModel = await model('Visits', 'select * from shop.visits')
  const visits = await sync(visitsModel, ['id', 'page'], { mode: 'UPSERT_ONLY', cursor: { column: 'visited_at' } })
  await run(visits.name)
  await peer.query(
    `insert into shop.visits select n, '/new', now() - interval '1 day' + n * interval '1 second' from generate_series(901, 940) as n`,
  )
  const visited = await run(visits.name)
  const unrun = await sync(visitsModel, ['id'], {
    title: 'Visits once more',
    mode: 'INSERT_ONLY',
    object_name: 'again',
  })
  const away = await api.ok('POST', `/${workspace}/dataSources`, {
    title: 'Old warehouse',
    app: { name: 'catalogDataSources/postgresql' },
    settings: { ...settings, port: 1 },
  })
  await createSource(api, workspace, 'Store')
  const files = await api.ok('POST', `/${workspace}/dataSources`, {
    title: 'Orders of the store',
    app: { name: 'catalogDataSources/file' },
    settings: {},
  })
  return {
    workspace,
    dataSource: String(dataSource.name),
    model: String(customers.name),
    warehouse: String(warehouse.name),
    sync: String(asking.name),
    done,
    asks,
    failed,
    rejected,
    visits: String(visits.name),
    visited,
    unrun: String(unrun.name),
    files: String(files.name),
    away: String(away.name),
  }
}
