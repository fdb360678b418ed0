import {
  ConfigurationError,
  callOnce,
  createEgressPolicy,
  createLifetime,
  createRequestClient,
  type DeliverContext,
  EgressRefusedError,
  type OutgoingEvent,
  type OutgoingRow,
  RetryableError,
  validateSettings,
} from '@tributary/connector-kit'
import { silentLogger } from '@tributary/kernel'
import { createPostgresPeer, type PostgresPeer } from '@tributary/test-kit'
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest'
import { tableObject } from '../../wire/access/table-object.ts'
import { quoted } from '../../wire/postgresql/identifiers.ts'
import {
  type AnalystForms,
  analystQuestions,
  answerOf,
  makeShopEvents,
  shopEvents,
} from '../../wire/warehouse/testing-analyst-queries.ts'
import { postgresql } from './definition.ts'
import { maxColumns } from './tables.ts'

let peer: PostgresPeer
beforeAll(async () => {
  peer = await createPostgresPeer(inject('postgresUrl'))
})
afterAll(async () => {
  await peer?.[Symbol.asyncDispose]()
})

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

let schemas = 0
type Given = Record<string, unknown>

/** Opens a destination with a separate schema, as a lane of delivery does. */
const open = (given: Given & { schema?: string } = {}, allow = ['127.0.0.0/8']) => {
  const schema = given.schema ?? `s${++schemas}`
  const checked = validateSettings(postgresql, { ...peer.access, tls: 'off', schema, ...given })
  if (!checked.ok) throw new Error(JSON.stringify(checked.errors))
  const client = createRequestClient({ egress: createEgressPolicy({ allow }), logger: silentLogger })
  const lifetime = createLifetime()
  const abort = new AbortController()
  closing.push(async () => {
    await lifetime.end()
    await client.close()
  })
  const context: DeliverContext = {
    settings: checked.settings,
    request: client.request,
    connect: client.connect,
    lifetime,
    clock: Date.now,
    logger: silentLogger,
    signal: abort.signal,
  }
  return {
    schema,
    context,
    abort,
    end: lifetime.end,
    deliver: (events: readonly OutgoingEvent[]) => postgresql.deliver(events, context),
    deliverRows: (rows: readonly OutgoingRow[]) => postgresql.deliverRows?.(rows, context),
    rows: (table: string, columns = '*', order = '1') =>
      peer.query(`select ${columns} from ${quoted(schema)}.${quoted(table)} order by ${order}`),
    columns: async (table: string): Promise<Record<string, string>> => {
      const found = await peer.query<{ name: string; type: string }>(
        `select column_name as name, data_type as type from information_schema.columns
          where table_schema = $1 and table_name = $2`,
        [schema, table],
      )
      return Object.fromEntries(found.map(({ name, type }) => [name, type]))
    },
  }
}

let sent = 0
const receivedAt = (number: number): string => new Date(Date.UTC(2026, 0, 2, 3, 4, 5, 678) + number).toISOString()
/** Returns an event in the form in which delivery passes it on. */
const event = (fields: Given = {}, more: Partial<OutgoingEvent> = {}): OutgoingEvent => {
  const number = ++sent
  const full = {
    eventId: `0-${number}-0`,
    messageId: `m${number}`,
    type: 'track' as const,
    event: 'Order Completed',
    userId: 'u1',
    context: {},
    receivedAt: receivedAt(number),
    timestamp: receivedAt(number),
    ...fields,
  }
  const { eventId, messageId, type } = full
  const name = String(full.event)
  return { eventId, messageId, type, event: name, json: JSON.stringify(full), action: 'write_event', ...more }
}
const delivered = { kind: 'delivered' }

test('ten questions of analysts have the answers of a plain evaluation', async () => {
  const { deliver, schema } = open()
  const made = makeShopEvents()
  await deliver(shopEvents(made))
  const forms: AnalystForms = {
    column: (name) => `"${name}"`,
    time: (name) => `to_char("${name}" at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.MS')`,
    seconds: (name) => `floor(extract(epoch from "${name}"))`,
  }
  for (const { title, sql, answer } of analystQuestions) {
    const expected = answer(made)
    const rows = await peer.query<Record<string, unknown>>(
      sql(forms).replace(/\{(\w+)\}/g, (_, table: string) => `${quoted(schema)}.${quoted(table)}`),
    )
    expect({ title, answer: answerOf(rows, expected) }).toEqual({ title, answer: expected })
  }
})

describe('writing an event', () => {
  test('a track event is a row of tracks and of its own table, with typed columns', async () => {
    const { deliver, rows, columns } = open()
    const properties = {
      orderId: 'A-1',
      total: 42.5,
      gift: true,
      paidAt: '2026-01-02T03:04:05.000Z',
      items: [{ sku: 'x' }],
      shipping: { city: 'Ulm' },
      none: null,
    }
    const context = { page: { url: 'https://shop.example/' }, userAgent: 'UA', ip: '1.2.3.4' }
    const first = event({ properties, context, sentAt: receivedAt(0), anonymousId: 'a1' })
    expect(await deliver([first])).toMatchObject({ outcomes: [delivered] })
    expect(await columns('order_completed')).toMatchObject({
      id: 'text',
      received_at: 'timestamp with time zone',
      order_id: 'text',
      total: 'numeric',
      gift: 'boolean',
      paid_at: 'timestamp with time zone',
      items: 'jsonb',
      shipping: 'jsonb',
      context_page_url: 'text',
      context_user_agent: 'text',
      extra_properties: 'jsonb',
    })
    expect(await columns('order_completed')).not.toHaveProperty('none')
    expect(await rows('order_completed')).toMatchObject([
      {
        id: first.messageId,
        user_id: 'u1',
        anonymous_id: 'a1',
        event: 'order_completed',
        event_text: 'Order Completed',
        order_id: 'A-1',
        total: '42.5',
        gift: true,
        items: [{ sku: 'x' }],
        shipping: { city: 'Ulm' },
        context_ip: '1.2.3.4',
        extra_properties: null,
      },
    ])
    const [track] = await rows('tracks')
    expect(track).toMatchObject({ id: first.messageId, event: 'order_completed', context_page_url: context.page.url })
    expect(track).not.toHaveProperty('order_id')
  })

  test('a repeated event, alone or in another batch, is one row', async () => {
    const { deliver, rows } = open()
    const events = [event(), event(), event()]
    await deliver(events.slice(0, 2))
    await deliver([...events, ...events])
    expect(await rows('order_completed', 'id')).toEqual(events.map(({ messageId }) => ({ id: messageId })))
    expect(await rows('tracks', 'id')).toHaveLength(3)
  })

  test('each event type has its table, and a user has the newest values even if older ones come late', async () => {
    const { deliver, rows } = open()
    const old = event({ type: 'identify', event: '', traits: { plan: 'free', city: 'Ulm', name: 'Ada' } })
    await deliver([
      event({ type: 'page', event: 'Home', properties: { url: '/', name: 'Home' } }),
      event({ type: 'screen', event: '' }),
      event({ type: 'group', event: '', groupId: 'g1', traits: { seats: 3 } }),
      event({ type: 'alias', event: '', previousId: 'a0' }),
      event({ type: 'identify', event: '', userId: undefined, anonymousId: 'a9', traits: { plan: 'none' } }),
      event({ type: 'identify', event: '', traits: { plan: 'team' } }),
      event({ type: 'identify', event: '', traits: { plan: 'business', city: null } }),
    ])
    await deliver([old])
    expect(await rows('pages', 'name, url')).toEqual([{ name: 'Home', url: '/' }])
    expect(await rows('groups', 'group_id, seats')).toEqual([{ group_id: 'g1', seats: '3' }])
    expect(await rows('aliases', 'previous_id, user_id')).toEqual([{ previous_id: 'a0', user_id: 'u1' }])
    expect(await rows('screens', 'id')).toHaveLength(1)
    expect(await rows('identifies', 'plan, name')).toHaveLength(4)
    expect(await rows('users', 'id, plan')).toEqual([{ id: 'u1', plan: 'business' }])
    await deliver([event({ type: 'identify', event: '', traits: { city: 'Köln' } })])
    expect(await rows('users', 'id, plan, city')).toEqual([{ id: 'u1', plan: 'business', city: 'Köln' }])
  })

  test('new properties become new columns, and a value that does not fit its column is stored separately', async () => {
    const { deliver, rows, columns } = open()
    await deliver([event({ properties: { total: 5 } })])
    const result = await deliver([
      event({ properties: { total: 'five', coupon: 'X' } }),
      event({ properties: { total: { amount: 5 }, coupon: 7 } }),
      event({ properties: { total: '6.25' } }),
    ])
    expect(result.outcomes).toEqual([delivered, delivered, delivered])
    expect(await columns('order_completed')).toMatchObject({ total: 'numeric', coupon: 'text' })
    expect(await rows('order_completed', 'total, coupon, extra_properties', 'received_at')).toEqual([
      { total: '5', coupon: null, extra_properties: null },
      { total: null, coupon: 'X', extra_properties: { total: 'five' } },
      { total: null, coupon: '7', extra_properties: { total: { amount: 5 } } },
      { total: '6.25', coupon: null, extra_properties: null },
    ])
  })

  test('names that collide with columns of the schema or with each other do not lose values', async () => {
    const { deliver, rows } = open()
    const properties = { id: 'p', userId: 'other', Total: 1, total: 2, extra_properties: { a: 1 }, event: 'e' }
    await deliver([event({ event: 'users', properties, extra: { channel: 'web' } })])
    const named = 'user_id, property_id, property_user_id, property_event, total, extra_properties'
    expect(await rows('event_users', named)).toEqual([
      {
        user_id: 'u1',
        property_id: 'p',
        property_user_id: 'other',
        property_event: 'e',
        total: '1',
        extra_properties: { total: 2, channel: 'web' },
      },
    ])
    expect(await rows('event_users', 'property_extra_properties')).toEqual([{ property_extra_properties: { a: 1 } }])
  })

  test('hostile names and texts are stored as names and texts', async () => {
    const { deliver, rows, columns, schema } = open({ schema: 'we"ird; drop schema public' })
    const hostile = {
      '"; drop table tracks; --': 1,
      '': 'empty',
      '😀': 'picture',
      __proto__x: 'p',
      constructor: 'c',
      ['ü'.repeat(100)]: 'long',
      "it's": "'); drop table tracks; --",
      nul: 'a\0b',
      half: '\ud83d',
      deep: { '\0': ['\0', '\udc00', '\\u0000'] },
    }
    const names = ['x"; drop table tracks; --', '', '😀', '\0', 'a'.repeat(300)]
    const result = await deliver(names.map((name) => event({ event: name, properties: hostile, userId: 'u\0' })))
    expect(result.outcomes).toEqual(names.map(() => delivered))
    expect(await rows('tracks', 'id')).toHaveLength(names.length)
    expect(schema).toContain('"')
    const checked = await peer.query<{ name: string }>(
      'select tablename as name from pg_tables where schemaname = $1',
      [schema],
    )
    expect(checked).toHaveLength(1 + names.length)
    expect(await columns('x_drop_table_tracks')).toMatchObject({ drop_table_tracks: 'numeric', constructor: 'text' })
    expect(await rows('x_drop_table_tracks', 'it_s, nul, half, deep')).toEqual([
      {
        it_s: "'); drop table tracks; --",
        nul: 'a\ufffdb',
        half: '\ufffd',
        deep: { '\ufffd': ['\ufffd', '\ufffd', '\\u0000'] },
      },
    ])
  })

  test('ten thousand different properties get a limited number of columns, and all are stored', async () => {
    const { deliver, rows, columns } = open()
    const events = Array.from({ length: 50 }, (_, index) =>
      event({ properties: Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`p ${index} ${at}`, at])) }),
    )
    const result = await deliver(events)
    expect(result.outcomes).toEqual(events.map(() => delivered))
    const made = Object.keys(await columns('order_completed'))
    expect(made.length).toBeLessThanOrEqual(maxColumns)
    const written = await rows('order_completed', '*')
    const values = written.reduce((sum, row) => {
      const own = Object.entries(row).filter(([name, value]) => name.startsWith('p_') && value !== null).length
      return sum + own + Object.keys((row.extra_properties as object | null) ?? {}).length
    }, 0)
    expect(values).toBe(10_000)
  })

  test('a schema full of tables stores the properties of further events in tracks', async () => {
    const { deliver, rows, schema } = open()
    await deliver([event()])
    await peer.query(
      `do $$ begin for i in 1..1000 loop execute format('create table %I.%I ()', '${schema}', 'filler_' || i); end loop; end $$`,
    )
    const { deliver: later } = open({ schema })
    const result = await later([event({ event: 'Brand New', properties: { total: 1 } }), event()])
    expect(result.outcomes).toEqual([delivered, delivered])
    expect(await rows('tracks', 'event, extra_properties', 'received_at')).toEqual([
      { event: 'order_completed', extra_properties: null },
      { event: 'brand_new', extra_properties: { total: 1 } },
      { event: 'order_completed', extra_properties: null },
    ])
    expect(await rows('order_completed', 'id')).toHaveLength(2)
  })

  test('fields of a mapping replace the properties', async () => {
    const { deliver, rows, columns } = open()
    await deliver([event({ properties: { email: 'a@example.com' } }, { payload: { revenue: 5 } })])
    expect(await rows('order_completed', 'revenue')).toEqual([{ revenue: '5' }])
    expect(await columns('order_completed')).not.toHaveProperty('email')
  })

  test('the stored exchange shows what was written, without the password', async () => {
    const { context, schema } = open()
    const exchanges: object[] = []
    const onExchange = (exchange: object): void => void exchanges.push(exchange)
    await postgresql.deliver([event({}, { payload: { revenue: 5 } })], { ...context, onExchange })
    expect(exchanges).toEqual([
      { httpStatus: 0, latencyMs: expect.any(Number), request: expect.any(String), response: 'Committed' },
    ])
    expect(JSON.stringify(exchanges)).toContain(`, schema ${schema}\\n\\n{\\"revenue\\":5}`)
    expect(JSON.stringify(exchanges)).not.toContain(peer.access.password)
  })

  test('a table that was dropped or changed in the meantime is read again', async () => {
    const { deliver, rows, schema } = open()
    await deliver([event({ properties: { total: 1, kind: 'x' } })])
    await peer.query(`drop table "${schema}".tracks`)
    await peer.query(`alter table "${schema}".order_completed drop column total`)
    expect((await deliver([event({ properties: { total: 2 } })])).outcomes).toEqual([delivered])
    expect(await rows('order_completed', 'total', 'received_at')).toEqual([{ total: null }, { total: '2' }])
    expect(await rows('tracks', 'id')).toHaveLength(1)
  })
})

describe('a row that the database refuses', () => {
  test('a row that the database refuses is rejected alone and shown with its reason, and the rest is written', async () => {
    const { deliver, rows, schema } = open()
    await deliver([event({ properties: { total: 1 } })])
    await peer.query(`alter table "${schema}".order_completed add check (total < 100)`)
    const result = await deliver([
      event({ properties: { total: 2 } }),
      event({ properties: { total: 200 } }),
      event({ properties: { total: 3 } }),
    ])
    expect(result.outcomes).toEqual([
      delivered,
      { kind: 'rejected', reason: expect.stringContaining('violates check constraint') },
      delivered,
    ])
    expect(result.response).toContain('23514')
    expect(result.request).toContain('"total":200')
    expect(await rows('order_completed', 'total')).toHaveLength(3)
    // The event's row in the other table was not written either.
    expect(await rows('tracks', 'id')).toHaveLength(3)
  })
})

describe('upserting a row', () => {
  const upsert = (payload: Given): OutgoingEvent => event({}, { action: 'upsert_row', payload })

  test('upserting a row overwrites the row with the same key, only in the mapped columns', async () => {
    const { deliver, rows, columns } = open({ row_table: 'Customers', row_key: 'customer id' })
    const result = await deliver([
      upsert({ 'customer id': 'c1', plan: 'free', seats: 1 }),
      upsert({ 'customer id': 'c2', plan: 'team' }),
      upsert({ 'customer id': 'c1', plan: 'team' }),
    ])
    expect(result.outcomes).toEqual([delivered, delivered, delivered])
    await deliver([upsert({ 'customer id': 'c1', city: 'Ulm', plan: null })])
    expect(await rows('Customers', '*')).toEqual([
      { 'customer id': 'c1', plan: null, seats: '1', city: 'Ulm' },
      { 'customer id': 'c2', plan: 'team', seats: null, city: null },
    ])
    expect(await columns('Customers')).toMatchObject({ seats: 'numeric' })
  })

  test('upserting a row works on an existing table, and reports values that do not fit', async () => {
    const { deliver, schema, rows } = open({ row_table: 'people', row_key: 'id' })
    await peer.query(`create schema "${schema}" authorization "${peer.access.user}"`)
    await peer.query(
      `create table "${schema}".people (id uuid primary key, age integer not null, joined date, code varchar(3))`,
    )
    await peer.query(`alter table "${schema}".people owner to "${peer.access.user}"`)
    const id = '0190163d-8694-739b-aea5-966c26f8ad91'
    const { outcomes } = await deliver([
      upsert({ id, age: 36, joined: '2026-01-02', code: 'abc' }),
      upsert({ id, age: 'old' }),
      upsert({ age: 1 }),
      upsert({ id: 'no uuid', age: 1 }),
      upsert({ id, joined: '2026-01-02' }),
      upsert({ id, age: 37, code: 'abcd' }),
    ])
    expect(outcomes).toEqual([
      delivered,
      { kind: 'rejected', reason: 'The value of age does not match its type, integer' },
      { kind: 'rejected', reason: 'The mapping has no value for the key column id' },
      { kind: 'rejected', reason: expect.stringContaining('22P02') },
      { kind: 'rejected', reason: expect.stringContaining('23502') },
      { kind: 'rejected', reason: expect.stringContaining('22001') },
    ])
    expect(await rows('people', 'age, code')).toEqual([{ age: 36, code: 'abc' }])
  })

  test('upserting a row into a table without a unique key is a set-up error', async () => {
    const { deliver, schema } = open({ row_table: 'people', row_key: 'id' })
    await peer.query(`create schema "${schema}" authorization "${peer.access.user}"`)
    await peer.query(`create table "${schema}".people (id text)`)
    await peer.query(`alter table "${schema}".people owner to "${peer.access.user}"`)
    await expect(deliver([upsert({ id: 'a' })])).rejects.toThrow(ConfigurationError)
  })
})

describe('running a statement', () => {
  const run = (fields: Given = {}, more: Partial<OutgoingEvent> = {}): OutgoingEvent =>
    event(fields, { action: 'run_statement', ...more })

  test("a statement gets the event's values only as bound parameters", async () => {
    await peer.query('create table public.calls (who text, what text, total numeric, at timestamptz, payload jsonb)')
    await peer.query(`grant insert, select on public.calls to "${peer.access.user}"`)
    const statement = `insert into calls select :user_id, :event, (:properties->>'total')::numeric, :timestamp, :payload;`
    const { deliver } = open({ statement })
    const evil = `x'); drop table public.calls; --`
    const { outcomes } = await deliver([
      run({ userId: evil, event: "it's :event", properties: { total: 5 } }, { payload: { a: 1 } }),
      run({ userId: undefined, properties: { total: 'no number' } }),
      run({ userId: 'u\0' }),
    ])
    expect(outcomes).toEqual([delivered, { kind: 'rejected', reason: expect.stringContaining('22P02') }, delivered])
    expect(await peer.query('select who, what, total, payload from public.calls order by 1')).toMatchObject([
      { who: 'u\ufffd', what: 'Order Completed', total: null, payload: { userId: 'u\ufffd' } },
      { who: evil, what: "it's :event", total: '5', payload: { a: 1 } },
    ])
  })

  test('without a statement, each event is rejected', async () => {
    const { outcomes } = await open().deliver([run()])
    expect(outcomes).toEqual([{ kind: 'rejected', reason: expect.stringContaining('statement is empty') }])
  })

  const verify = (statement: string, more: Given = {}) => {
    const { context } = open({ statement, ...more })
    return postgresql.verifySettings?.(context, ['statement'])
  }
  const message = 'Please verify that the SQL Query is valid.'

  test.each([
    ['insert into public.calls (who) values (:user_id)'],
    [`update public.calls set what = :event where who = :user_id;`],
    ['with x as (select :payload as p) select p from x -- done'],
  ])('the statement %s is valid', async (statement) => {
    expect(await verify(statement)).toEqual({})
  })

  test.each([
    ['insert into public.missing values (1)', /missing.*42P01/],
    ['insert public.calls', /syntax error/],
    ['select :email', /Parameters are :event_id/],
    ['select 1; drop table public.calls', /multiple commands|syntax error/],
    ['drop table public.calls', /syntax error/],
    ['explain analyze delete from public.calls', /syntax error/],
    ['commit', /syntax error/],
    ['select sum(:event)', /42883/],
  ])('MAP-09: the statement %s is invalid without being run', async (statement, detail) => {
    expect(await verify(statement)).toEqual({ statement: { message, detail: expect.stringMatching(detail) } })
    expect(await peer.query('select 1 as there from public.calls limit 1')).toHaveLength(1)
  })

  test('a statement that an unreachable database cannot verify gets a message that says so', async () => {
    const objection = (await verify('select 1', { port: 1 }))?.statement?.message
    expect(objection).toMatch(/^The query can't be verified because the database is not reachable: Connection refused/)
  })
})

describe('the connection', () => {
  test('the connection is kept for the next batch, and closed when the destination has other settings', async () => {
    const { deliver, end } = open()
    const before = peer.connections()
    await deliver([event()])
    await deliver([event()])
    expect(peer.connections()).toBe(before + 1)
    await end()
    await expect.poll(() => peer.connections()).toBe(before)
  })

  test('a broken connection is a temporary error; the next batch opens a new one, and nothing is written twice', async () => {
    const { deliver, rows } = open()
    const events = [event(), event()]
    await deliver(events.slice(0, 1))
    peer.cut(true)
    await expect(deliver(events)).rejects.toThrow(RetryableError)
    peer.cut()
    expect((await deliver(events)).outcomes).toEqual([delivered, delivered])
    expect(await rows('tracks', 'id')).toHaveLength(2)
  })

  test('the connection ends immediately when the process must end', async () => {
    const { deliver, abort } = open({ statement: 'select pg_sleep(30)' })
    const before = peer.connections()
    const running = deliver([event({}, { action: 'run_statement' })])
    await expect.poll(() => peer.connections()).toBe(before + 1)
    abort.abort()
    await expect(running).rejects.toThrow(RetryableError)
    await expect(deliver([event()])).rejects.toThrow('Interrupted')
  })

  test('the connection to a forbidden address is refused', async () => {
    await expect(open({}, []).deliver([event()])).rejects.toThrow(EgressRefusedError)
  })

  test.each([
    ['password', { password: 'wrong' }, '28P01'],
    ['user', { user: 'peer_nobody' }, '28'],
    ['database', { database: 'nowhere' }, '3D000'],
  ])('the connection with a wrong %s is a set-up error, reported without the password', async (_what, given, state) => {
    const failure = await open(given)
      .deliver([event()])
      .catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(ConfigurationError)
    expect((failure as Error).message).toContain(state)
    expect(JSON.stringify((failure as ConfigurationError).exchange)).not.toContain(peer.access.password)
  })

  test('the connection without the privilege to create the schema is a set-up error that says so', async () => {
    await peer.query(`revoke create on database "${peer.access.database}" from "${peer.access.user}"`)
    const { deliver, context } = open()
    await expect(deliver([event()])).rejects.toThrow("does not exist and the user can't create it")
    expect(await postgresql.testConnection(context)).toEqual({
      ok: false,
      message: expect.stringMatching(/^Connected to PostgreSQL [\d.]+ as peer_\w+\. The schema \w+ does not exist/),
    })
    await peer.query(`grant create on database "${peer.access.database}" to "${peer.access.user}"`)
  })

  test('the connection test returns a success and changes nothing', async () => {
    const { context, deliver, schema } = open()
    expect(await postgresql.testConnection(context)).toEqual({
      ok: true,
      message: expect.stringMatching(/will be created when the first event arrives\.$/),
    })
    expect(await peer.query('select from pg_namespace where nspname = $1', [schema])).toEqual([])
    await deliver([event()])
    expect(await postgresql.testConnection(context)).toEqual({
      ok: true,
      message: expect.stringMatching(/Tables can be created in the schema/),
    })
    const { context: closed } = open({ port: 1 })
    expect(await postgresql.testConnection(closed)).toEqual({
      ok: false,
      message: 'Could not connect: Connection refused (ECONNREFUSED)',
    })
  })
})

describe('TLS', () => {
  /** A certificate for 127.0.0.1, valid until 2126 and signed by `ca`. */
  const tls = {
    key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgq2Ti/BvawUl6ABgJ
wHE4G0m+3WwMCXoTOrS1ent+ABWhRANCAAQuoXnWdiis5hZckEWF3azYWsENQcPi
zzAJZ1SfzNMFKjupEAaWU+1FRD9ROiUpNzP55w0Km53/hdJLi8bvpA1u
-----END PRIVATE KEY-----
`,
    cert: `-----BEGIN CERTIFICATE-----
MIIBfTCCASOgAwIBAgIUCRBaWDTSaxVvb7UloforPbZJtGcwCgYIKoZIzj0EAwIw
GTEXMBUGA1UEAwwOVGVzdCBhdXRob3JpdHkwIBcNMjYxMTIyMDIxNDMxWhgPMjEy
NjEwMjkwMjE0MzFaMA0xCzAJBgNVBAMMAmRiMFkwEwYHKoZIzj0CAQYIKoZIzj0D
AQcDQgAELqF51nYorOYWXJBFhd2s2FrBDUHD4s8wCWdUn8zTBSo7qRAGllPtRUQ/
UTolKTcz+ecNCpud/4XSS4vG76QNbqNTMFEwDwYDVR0RBAgwBocEfwAAATAdBgNV
HQ4EFgQUBd6ylZJt06y8Cqg+T5InJQJf0JYwHwYDVR0jBBgwFoAUQMT/4fOAmYk0
eQOk1qLaLMLReW0wCgYIKoZIzj0EAwIDSAAwRQIgYSejrIjWeyK65gc33rq3UFTM
KrC5+e7qhguQqGTT3q0CIQD+w/xkFGeALRr1gzyhNfsqBSLAOgNrXJIonwM/dkBX
zA==
-----END CERTIFICATE-----
`,
  }
  const ca = `-----BEGIN CERTIFICATE-----
MIIBijCCAS+gAwIBAgIUcdVOUjKAnr8eFz/Yf+1TdfC24rYwCgYIKoZIzj0EAwIw
GTEXMBUGA1UEAwwOVGVzdCBhdXRob3JpdHkwIBcNMjYxMTIyMDIxNDMxWhgPMjEy
NjEwMjkwMjE0MzFaMBkxFzAVBgNVBAMMDlRlc3QgYXV0aG9yaXR5MFkwEwYHKoZI
zj0CAQYIKoZIzj0DAQcDQgAEs66k4XLrOwNAtVYjzoAtntimmOzsfY+QuPFVx9ju
DJB4ahA4UBVrXDNj0JWJkzimhUnNhKXxBcs4922W/JGNNqNTMFEwHQYDVR0OBBYE
FEDE/+HzgJmJNHkDpNai2izC0XltMB8GA1UdIwQYMBaAFEDE/+HzgJmJNHkDpNai
2izC0XltMA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDSQAwRgIhAMqfZbLK
k5Bhg5WzKdCu0Iorjyq9vIL28EKmDjGy7+koAiEAlSOsu2YzR/+F0gH3+5yAwf2B
pOBr2Ksd8rUno7ZZScA=
-----END CERTIFICATE-----
`

  test('a server is trusted only if its certificate leads to a trusted authority', async () => {
    await using secure = await createPostgresPeer(inject('postgresUrl'), { tls })
    const given = { ...secure.access, tls: 'verify', schema: 'own' }
    // A certificate that is pasted into a field of one line loses its line ends.
    for (const ca_certificate of [ca, ca.replaceAll('\n', '')])
      expect((await open({ ...given, ca_certificate }).deliver([event()])).outcomes).toEqual([delivered])
    await expect(open(given).deliver([event()])).rejects.toThrow(/certificate/)
    const named = open({ ...given, host: 'localhost', ca_certificate: ca })
    await expect(named.deliver([event()])).rejects.toThrow('The certificate is for another name')
    await expect(open({ tls: 'verify' }).deliver([event()])).rejects.toThrow('The server does not offer TLS')
  })
})

test.each([
  ['ca_certificate', { ca_certificate: 'no certificate' }],
  ['port', { port: 0 }],
  ['schema', { schema: 'pg_mine' }],
  ['schema', { schema: 'ü'.repeat(40) }],
  ['row_key', { row_key: 'a\0b' }],
  ['host', { host: '' }],
])('the setting %s is rejected if it is invalid: %j', (name, settings) => {
  const whole = { host: 'db.example', database: 'd', user: 'u', password: 'p', ...settings }
  expect(validateSettings(postgresql, whole)).toMatchObject({ ok: false, errors: { [name]: expect.any(String) } })
})

test('a single call leaves no connection behind', async () => {
  const { context } = open()
  const before = peer.connections()
  const client = { request: context.request, connect: context.connect }
  const { settings, clock, logger, signal } = context
  await callOnce({ client, settings, clock, logger, signal }, (own) => postgresql.testConnection(own))
  await expect.poll(() => peer.connections()).toBe(before)
})

describe('deleting a user', () => {
  const deletion = (number: number, userIds: string[], anonymousIds: string[] = []): OutgoingRow => ({
    recordId: `r.${number}`,
    operation: 'delete',
    object: 'users',
    key: userIds[0] ?? '',
    json: JSON.stringify({ userIds, anonymousIds, externalIds: [{ type: 'shop', id: 'c-1' }] }),
  })

  test("deleting a user removes the user's rows from every event table and from users, and no other rows", async () => {
    const { schema, deliver, deliverRows, rows } = open()
    await deliver([
      event({ anonymousId: 'a1' }),
      event({ type: 'identify', event: '', traits: { email: 'ada@example.com' } }),
      event({ type: 'page', event: 'Home', userId: undefined, anonymousId: 'a1' }),
      event({ type: 'page', event: 'Home', userId: 'u2', anonymousId: 'a1' }),
      event({ type: 'identify', event: '', userId: 'u2', traits: {} }),
      event({ type: 'page', event: 'Home', userId: undefined, anonymousId: 'a2' }),
    ])
    await peer.query(`create table ${quoted(schema)}.loyalty (id text primary key, user_id text, anonymous_id text)`)
    await peer.query(`insert into ${quoted(schema)}.loyalty values ('1', 'u1', 'a1')`)
    expect(await deliverRows([deletion(0, ['u1'], ['a1']), deletion(1, ['nobody'])])).toMatchObject({
      outcomes: [delivered, delivered],
    })
    for (const table of ['tracks', 'order_completed']) expect(await rows(table), table).toEqual([])
    expect(await rows('identifies', 'user_id')).toEqual([{ user_id: 'u2' }])
    expect(await rows('users', 'id')).toEqual([{ id: 'u2' }])
    expect(await rows('pages', 'user_id, anonymous_id', 'anonymous_id')).toEqual([
      { user_id: 'u2', anonymous_id: 'a1' },
      { user_id: null, anonymous_id: 'a2' },
    ])
    expect(await rows('loyalty', 'user_id')).toEqual([{ user_id: 'u1' }])
    expect(await deliverRows([deletion(0, ['u1'], ['a1'])])).toMatchObject({ outcomes: [delivered] })
  })

  test('deleting a user succeeds if nothing was ever written', async () => {
    const { deliverRows } = open()
    expect(await deliverRows([deletion(0, ['u1'])])).toMatchObject({ outcomes: [delivered] })
  })

  test('deleting a user without the database privilege waits for the set-up', async () => {
    const { schema, deliver, deliverRows } = open()
    await deliver([event()])
    await peer.query(`alter schema ${quoted(schema)} owner to current_user`)
    await peer.query(`alter table ${quoted(schema)}.tracks owner to current_user`)
    await peer.query(`grant usage on schema ${quoted(schema)} to ${quoted(peer.access.user)}`)
    await expect(deliverRows([deletion(0, ['u1'])])).rejects.toBeInstanceOf(ConfigurationError)
  })

  test('deleting a user accepts only this kind of rows', async () => {
    const { deliverRows } = open()
    const row: OutgoingRow = { recordId: 'r', operation: 'upsert', object: 'users', key: 'u1', json: '{}' }
    expect(await deliverRows([row, deletion(0, ['u1'])])).toMatchObject({
      outcomes: [{ kind: 'rejected', reason: expect.stringContaining('deletions of users') }, delivered],
    })
  })
})

describe('listing keys', () => {
  const list = async ({ context }: ReturnType<typeof open>, table: string, key = 'id'): Promise<string[]> => {
    const found: string[] = []
    await postgresql.listKeys?.(context, tableObject({ table, key }), async (keys) => void found.push(...keys))
    return found
  }

  test.each(['bigint', 'text', 'uuid', 'numeric'])(
    'listing finds every key of the type %s once, over many pages',
    async (type) => {
      const opened = open()
      const value = type === 'uuid' ? 'md5(n::text)::uuid' : `n::${type}`
      await peer.query(`create schema ${quoted(opened.schema)} authorization ${quoted(peer.access.user)}`)
      await peer.query(
        `create table ${quoted(opened.schema)}.t as select ${value} as id from generate_series(1, 777) n`,
      )
      await peer.query(`insert into ${quoted(opened.schema)}.t values (null)`)
      await peer.query(`grant select on ${quoted(opened.schema)}.t to ${quoted(peer.access.user)}`)
      const keys = await list(opened, 't')
      expect([keys.length, new Set(keys).size]).toEqual([777, 777])
    },
  )

  test('listing finds no key in a missing table, and refuses a key column without a comparison', async () => {
    const opened = open()
    expect(await list(opened, 'none')).toEqual([])
    await peer.query(`create schema ${quoted(opened.schema)} authorization ${quoted(peer.access.user)}`)
    await peer.query(`create table ${quoted(opened.schema)}.t (id timestamptz primary key)`)
    await peer.query(`grant select on ${quoted(opened.schema)}.t to ${quoted(peer.access.user)}`)
    await expect(list(opened, 't')).rejects.toThrow('has the type timestamp with time zone')
    await expect(list(opened, 't', 'other')).rejects.toThrow('has no column other')
  })
})
