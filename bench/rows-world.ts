import {
  type ApiClient,
  createPostgresPeer,
  eventually,
  type PostgresPeer,
  startSharedPostgres,
} from '@tributary/test-kit'
import type { Bench } from './product.ts'

/** Ten columns that a shop typically stores about its customers. */
const columns = [
  'id bigint primary key',
  'email text',
  'name text',
  'plan text',
  'age int',
  'city text',
  'country text',
  'total numeric(10,2)',
  'active boolean',
  'created_at timestamptz',
]
const fields = columns.map((column) => column.split(' ')[0] ?? '')
export const rowsOfBatch = 100

/** An SQL expression for the values of the row with number `n`. */
const values = `n, 'user-' || n || '@example.com', 'Customer ' || md5(n::text), (array['free','pro','team'])[1 + n % 3],
  18 + n % 70, 'City ' || n % 5000, (array['DE','FR','US','GB','IT'])[1 + n % 5], n % 100000 / 100.0, n % 3 = 0,
  timestamptz '2020-01-01' + n % 2000 * interval '1 day'`

/** Starts a customer's database with `rows` customers, numbered from 1. */
export const startCustomers = async (rows: number) => {
  const stack = new AsyncDisposableStack()
  try {
    const shared = stack.use(await startSharedPostgres())
    const peer = stack.use(await createPostgresPeer(shared.url))
    const add = (from: number, to: number) =>
      peer.query(`insert into customers select ${values} from generate_series(${from}, ${to}) n`)
    await peer.query(`create table customers (${columns.join(', ')})`)
    await peer.query(`grant select on customers to ${peer.access.user}`)
    await add(1, rows)
    await peer.query('analyze customers')
    return {
      peer,
      /** Changes one of `every` customers, removes as many, and adds as many. */
      async change(every: number): Promise<void> {
        await peer.query(`delete from customers where id % ${every} = 1`)
        await peer.query(`update customers set total = total + 1 where id % ${every} = 0`)
        await add(rows + 1, rows + Math.floor(rows / every))
      },
      [Symbol.asyncDispose]: () => stack.disposeAsync(),
    }
  } catch (error) {
    await stack.disposeAsync()
    throw error
  }
}

const make = async (api: ApiClient, path: string, body: Record<string, unknown>): Promise<string> =>
  String((await api.ok('POST', path, body))['name'])

/** Creates a sync of the customers to a webhook that accepts batches. */
export const createCustomerSync = async (
  { product: { api }, workspace }: Bench,
  { access }: PostgresPeer,
  url: string,
): Promise<string> => {
  const dataSource = await make(api, `/${workspace}/dataSources`, {
    title: 'Shop',
    app: { name: 'catalogDataSources/postgresql' },
    settings: { ...access, tls: 'off' },
  })
  const model = await make(api, `/${workspace}/models`, {
    title: 'Customers',
    data_source: dataSource,
    query: { schema: 'public', table: 'customers' },
    primary_key: ['id'],
  })
  const destination = await make(api, `/${workspace}/destinations`, {
    title: 'Rows',
    app: { name: 'catalogDestinations/webhook' },
    settings: { url, batching: true, batch_size: rowsOfBatch, batch_wait_ms: 100 },
  })
  return await make(api, `/${workspace}/syncs`, {
    title: 'Customers',
    model,
    destination,
    object: 'records',
    object_name: 'customers',
    mode: 'FULL_SYNC',
    identifier: 'id',
    guard_percent: 100,
    fields: fields.map((name) => ({ column: name, target: name })),
  })
}

type EndedRun = {
  state: string
  message: string
  counts: Record<'read' | 'added' | 'changed' | 'unchanged' | 'removed' | 'rejected', number> | null
  state_times: Partial<Record<string, string>>
  finish_time: string | null
}

/** Begins a run; returns its name. */
export const beginRun = async (api: ApiClient, sync: string, resync = false): Promise<string> =>
  make(api, `/${sync}:run`, { resync })

/** Waits until a run has ended, and returns the run; throws if it did not succeed. */
export const endOfRun = async (api: ApiClient, run: string, deadlineMs = 1_800_000): Promise<EndedRun> => {
  const ended = await eventually(
    'the run has ended',
    async () => {
      const found = (await api.ok('GET', `/${run}`)) as unknown as EndedRun
      return found.finish_time !== null && found
    },
    deadlineMs,
  )
  if (ended.state !== 'succeeded') throw new Error(`The run ended as ${ended.state}: ${ended.message}`)
  return ended
}

const at = (run: EndedRun, state: string): number => Date.parse(run.state_times[state] ?? '')

/** Returns the duration of each step of a run in seconds. */
export const stepsOf = (run: EndedRun): { read: number; compare: number; send: number } => {
  const times = ['extracting', 'diffing', 'sending'].map((state) => at(run, state))
  const [read = 0, compare = 0, send = 0] = times
  return {
    read: (compare - read) / 1000,
    compare: (send - compare) / 1000,
    send: (Date.parse(run.finish_time ?? '') - send) / 1000,
  }
}
