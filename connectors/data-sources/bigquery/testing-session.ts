import {
  createEgressPolicy,
  createRequestClient,
  type DataQuery,
  type DataRow,
  type DataSourceContext,
  type DataSourceSession,
  RetryableError,
  type RowsFrom,
  validateSettings,
} from '@tributary/connector-kit'
import type { PeerAnswer } from '@tributary/connector-kit/testing'
import { afterAll, afterEach, beforeAll } from 'vitest'
import { type BigQueryPeer, keyFileOf, keys, startBigQuery } from '../../wire/bigquery/testing-bigquery.ts'
import { errorBody } from '../../wire/bigquery/testing-refusals.ts'
import { bigquery } from './definition.ts'
import { openSession } from './session.ts'
import type { BigQuerySettings } from './settings.ts'

/** The options of a session in tests. */
type Options = {
  statementMs?: number
  allow?: string[]
  signal?: AbortSignal
  given?: Record<string, unknown>
  wait?: (ms: number) => void
}

const ignore = (): void => {}
const silentLogger = { debug: ignore, info: ignore, warn: ignore, error: ignore }

/** A key file that the stand-in accepts. */
export const keyFile = keyFileOf(keys.known.privateKey)

/** Returns the error of work that fails. */
export const failure = (work: Promise<unknown>): Promise<unknown> => work.catch((error: unknown) => error)

/** Reads all rows of a query. */
export const rowsOf = async (
  session: DataSourceSession,
  query: DataQuery,
  limit = 100,
  from?: RowsFrom,
): Promise<DataRow[]> => {
  const rows: DataRow[] = []
  for await (const batch of session.read(query, limit, from)) rows.push(...batch)
  return rows
}

/** Returns the answer with a documented error. */
export const refusing = (
  code: number,
  reason: string,
  message: string,
  headers: Record<string, string> = {},
): PeerAnswer => ({ status: code, headers, body: errorBody(code, reason, message) })

/** Starts the stand-in with a dataset `company` for the tests of a file, and opens sessions on it. */
export const useCompany = () => {
  let peer: BigQueryPeer
  const closing: (() => Promise<void>)[] = []
  beforeAll(async () => {
    peer = await startBigQuery()
    await peer.duck.run(`create schema company; create schema other;
      create table company.customers (
        id bigint primary key, email varchar, spent decimal(24, 9), exact decimal(38, 12), born date,
        seen timestamptz, made timestamp, wakes time, active boolean, ratio double, raw blob, extra json, tags bigint[],
        place struct(city varchar, zip varchar, lots struct(n decimal(20, 9), "at" timestamptz)[]));
      insert into company.customers values
        (9223372036854775807, 'ada@exämple.com', 12345678901.012345678, 12345678901234.012345678901, '1815-12-10',
         '2026-01-02 03:04:05.678901+02', '2026-01-02 03:04:05.5', '01:02:03', true, 0.1, '\\xFF\\x00ab', '{"b": [1, 2.50]}',
         [9223372036854775807, null], {city: 'Köln "am" Rhein', zip: null, lots: [{n: 1.10, 'at': '1969-12-31 23:59:59.5+00'}]}),
        (2, null, null, null, null, '2026-01-02 00:00:00+00', null, null, false, 'nan', null, null, [], null);
      create table company.changes (id bigint, spent decimal(9, 2), born date, seen timestamptz, made timestamp);
      insert into company.changes values
        (1, 10.99, '2026-01-02', '2026-01-02 03:04:05.677+00', '2026-01-02 03:04:05'),
        (2, 11, '2026-01-03', '2026-01-02 03:04:05.678+00', '2026-01-02 03:04:06'),
        (3, 99, '2026-01-04', '2026-01-02 03:04:06+00', '2026-01-02 03:04:07'), (4, null, null, null, null);
      create view company.emails as select id, email from company.customers;
      create table other.numbers as select range as n from range(50000);
      create table other."odd ""na\`me" as select 1 as "a b";`)
  })
  afterAll(async () => {
    await peer?.[Symbol.asyncDispose]()
  })
  afterEach(async () => {
    for (const close of closing.splice(0).toReversed()) await close()
    peer.answerInstead = undefined
    peer.jobs.set.isSlow = false
    peer.jobs.set.bytes = 10n * 1024n ** 2n
    peer.jobs.cancelled.length = 0
  })
  const open = async (options: Options = {}): Promise<DataSourceSession> => {
    const { statementMs = 20_000, allow = ['127.0.0.0/8'], given, wait } = options
    const { signal = new AbortController().signal } = options
    const checked = validateSettings(bigquery, {
      project: 'my-project',
      dataset: 'company',
      service_account_key: keyFile,
      ...given,
    })
    if (!checked.ok) throw new Error(JSON.stringify(checked.errors))
    const client = createRequestClient({ egress: createEgressPolicy({ allow }), logger: silentLogger })
    closing.push(() => client.close())
    const context = { settings: checked.settings, connect: client.connect, signal, statementMs }
    const session = openSession(context as DataSourceContext<BigQuerySettings>, {
      api: peer.url,
      tokenUrl: `${peer.url}/token`,
      wait: async (ms, ended) => {
        wait?.(ms)
        if (ended.aborted) throw new RetryableError('Interrupted')
      },
    })
    closing.push(async () => await session[Symbol.asyncDispose]())
    return session
  }
  return { peer: () => peer, open }
}
