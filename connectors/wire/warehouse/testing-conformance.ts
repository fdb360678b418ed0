import {
  createEgressPolicy,
  createLifetime,
  createRequestClient,
  type DeliverContext,
  type DestinationDefinition,
  type OutgoingEvent,
  type OutgoingRow,
  RetryableError,
  validateSettings,
} from '@tributary/connector-kit'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { tableObject } from '../access/table-object.ts'
import { analystQuestions, answerOf, makeShopEvents, shopEvents } from './testing-analyst-queries.ts'

/** A warehouse that executes SQL, for one test file. */
export type ConformancePeer = AsyncDisposable & {
  /** The settings of a destination whose schema or database is new and empty. */
  settings(): Promise<Record<string, unknown>>
  /** Runs a query of the tables as an analyst would write it; `{table}` stands for the quoted name of a table with its schema. */
  query(settings: Record<string, unknown>, sql: string): Promise<Record<string, unknown>[]>
  /**
   * Makes the n-th statement from now on fail: `before` it is executed, or `after`, with a lost answer. Counts statements of
   * the connector alone. Infinity ends this.
   */
  failAt(statement: number, when: 'before' | 'after'): void
  /** The number of statements since the last call. */
  statements(): number
}

/** How a dialect differs where analysts see it. */
export type ConformanceForms = {
  /** The expression of a column's value as text, in the form of the suite: numbers without trailing zeros. */
  number(column: string): string
  time(column: string): string
  /** Whole seconds since 1970. */
  seconds(column: string): string
  flag(column: string): string
  /** The expression of a member of a column of JSON, as text. */
  member(column: string, name: string): string
  column(name: string): string
}

const ignore = (): void => {}
const silentLogger = { debug: ignore, info: ignore, warn: ignore, error: ignore }

let sent = 0
const receivedAt = (number: number): string => new Date(Date.UTC(2026, 0, 2, 3, 4, 5, 678) + number).toISOString()

type Given = Record<string, unknown>

/** Returns an event as delivery passes it on. */
export const writtenEvent = (fields: Given = {}): OutgoingEvent => {
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
  return { eventId, messageId, type, event: String(full.event), json: JSON.stringify(full), action: 'write_event' }
}

const identify = (userId: string, traits: Given, more: Given = {}): OutgoingEvent =>
  writtenEvent({ type: 'identify', event: '', userId, traits, ...more })

/** Runs the tests that each warehouse passes. */
export const warehouseConformance = (
  name: string,
  definition: DestinationDefinition,
  forms: ConformanceForms,
  open: () => Promise<ConformancePeer>,
): void => {
  let peer: ConformancePeer
  let given: Record<string, unknown>
  let context: DeliverContext
  const closing: (() => Promise<void>)[] = []

  const contextOf = (settings: Record<string, unknown>): DeliverContext => {
    const checked = validateSettings(definition, settings)
    if (!checked.ok) throw new Error(JSON.stringify(checked.errors))
    const client = createRequestClient({
      egress: createEgressPolicy({ allow: ['127.0.0.0/8'] }),
      logger: silentLogger,
    })
    const lifetime = createLifetime()
    closing.push(async () => {
      await lifetime.end()
      await client.close()
    })
    return {
      settings: checked.settings,
      request: client.request,
      connect: client.connect,
      lifetime,
      clock: Date.now,
      logger: silentLogger,
      signal: new AbortController().signal,
    }
  }

  beforeAll(async () => {
    peer = await open()
  })
  afterAll(async () => {
    for (const close of closing) await close()
    await peer?.[Symbol.asyncDispose]()
  })
  beforeEach(async () => {
    peer.failAt(Number.POSITIVE_INFINITY, 'before')
    given = await peer.settings()
    context = contextOf(given)
  })

  const { warehouse } = definition
  if (warehouse === undefined) throw new Error(`${definition.slug} is no warehouse`)
  const stage = async (...events: OutgoingEvent[]): Promise<void> => {
    expect(await definition.deliver(events, context)).toMatchObject({ outcomes: { kind: 'delivered' } })
  }
  const load = () => warehouse.load(context)
  const query = (sql: string) => peer.query(given, sql)
  const { column } = forms
  const ids = async (table: string): Promise<string[]> =>
    (await query(`SELECT ${column('id')} AS id FROM {${table}}`)).map(({ id }) => String(id)).toSorted()
  const rejectsRetryably = async (work: Promise<unknown>): Promise<void> => {
    await expect(work).rejects.toBeInstanceOf(RetryableError)
  }

  describe(`${name} as a warehouse`, () => {
    test('nothing staged means nothing loaded', async () => {
      expect(await load()).toMatchObject({ batches: 0, rows: {}, bytes: 0, unfit: 0, more: false })
    })

    test('a track event is a row of tracks and of its own table, with typed columns', async () => {
      await stage(
        writtenEvent({
          messageId: 'one',
          sentAt: '2026-01-02T03:04:05.600Z',
          context: { page: { url: 'https://x.example' } },
          properties: {
            orderId: 'A-1',
            total: 42.5,
            gift: true,
            paidAt: '2026-01-02T05:04:05.000+02:00',
            items: [{ sku: 'x' }],
          },
        }),
      )
      expect(await load()).toMatchObject({ batches: 1, rows: { tracks: 1, order_completed: 1 }, unfit: 0, more: false })
      const [track] = await query(
        `SELECT ${['id', 'event', 'event_text', 'user_id', 'context_page_url'].map((each) => `${column(each)} AS ${each}`).join(', ')} FROM {tracks}`,
      )
      expect(track).toEqual({
        id: 'one',
        event: 'order_completed',
        event_text: 'Order Completed',
        user_id: 'u1',
        context_page_url: 'https://x.example',
      })
      const [order] = await query(
        `SELECT ${column('order_id')} AS order_id, ${forms.number('total')} AS total, ${forms.flag('gift')} AS gift, ${forms.time('paid_at')} AS paid_at, ${forms.time('sent_at')} AS sent_at FROM {order_completed}`,
      )
      expect(order).toEqual({
        order_id: 'A-1',
        total: '42.5',
        gift: 'true',
        paid_at: '2026-01-02 03:04:05.000',
        sent_at: '2026-01-02 03:04:05.600',
      })
    })

    test('an event that arrives again is stored once, in one batch, in two, and in a later load', async () => {
      const event = writtenEvent({ messageId: 'twice' })
      const later = { ...writtenEvent({ messageId: 'twice', receivedAt: '2026-01-09T00:00:00.000Z' }) }
      await stage(event, event)
      await stage(event)
      await load()
      await stage(event)
      await stage(later)
      await load()
      expect(await ids('tracks')).toEqual(['twice'])
      expect(await ids('order_completed')).toEqual(['twice'])
    })

    test('users have the newest values, and an explicit null empties a column', async () => {
      await stage(identify('ada', { name: 'Ada', plan: 'free', age: 36 }), identify('ada', { plan: 'pro' }))
      await stage(identify('bob', { name: 'Bob' }))
      await load()
      await stage(
        identify('ada', { age: null }),
        identify('bob', { name: 'Older' }, { receivedAt: '2025-01-01T00:00:00.000Z' }),
      )
      await load()
      const rows = await query(
        `SELECT ${column('id')} AS id, ${column('name')} AS name, ${column('plan')} AS plan, ${forms.number('age')} AS age FROM {users} ORDER BY 1`,
      )
      expect(rows).toEqual([
        { id: 'ada', name: 'Ada', plan: 'pro', age: null },
        { id: 'bob', name: 'Bob', plan: null, age: null },
      ])
      expect(await ids('identifies')).toHaveLength(5)
    })

    test('groups are in groups and accounts, pages and aliases in their tables', async () => {
      await stage(
        writtenEvent({ type: 'group', event: '', groupId: 'g1', traits: { name: 'Acme', seats: 5 } }),
        writtenEvent({ type: 'group', event: '', groupId: 'g1', traits: { seats: 6 } }),
        writtenEvent({ type: 'page', event: 'Home', properties: { url: 'https://x.example' } }),
        writtenEvent({ type: 'alias', event: '', previousId: 'before' }),
      )
      expect(await load()).toMatchObject({ rows: { groups: 2, accounts: 1, pages: 1, aliases: 1 } })
      expect(
        await query(
          `SELECT ${column('id')} AS id, ${column('name')} AS name, ${forms.number('seats')} AS seats FROM {accounts}`,
        ),
      ).toEqual([{ id: 'g1', name: 'Acme', seats: '6' }])
      expect(
        await query(
          `SELECT ${column('group_id')} AS group_id, ${forms.number('seats')} AS seats FROM {groups} ORDER BY 2`,
        ),
      ).toEqual([
        { group_id: 'g1', seats: '5' },
        { group_id: 'g1', seats: '6' },
      ])
      expect(await query(`SELECT ${column('name')} AS name FROM {pages}`)).toEqual([{ name: 'Home' }])
      expect(await query(`SELECT ${column('previous_id')} AS previous_id FROM {aliases}`)).toEqual([
        { previous_id: 'before' },
      ])
    })

    test('values that do not fit their column are in extra_properties', async () => {
      await stage(writtenEvent({ messageId: 'a', properties: { value: 1 } }))
      await stage(
        writtenEvent({ messageId: 'b', properties: { value: 'many' } }),
        writtenEvent({ messageId: 'c', properties: { value: { amount: 1 } } }),
        writtenEvent({ messageId: 'd', properties: { value: '12.25' } }),
      )
      await load()
      const rows = await query(
        `SELECT ${column('id')} AS id, ${forms.number('value')} AS value, ${forms.member('extra_properties', 'value')} AS extra FROM {order_completed} ORDER BY 1`,
      )
      expect(rows).toMatchObject([
        { id: 'a', value: '1', extra: null },
        { id: 'b', value: null, extra: 'many' },
        { id: 'c', value: null },
        { id: 'd', value: '12.25', extra: null },
      ])
      expect(String(rows[2]?.extra).replaceAll(' ', '')).toBe('{"amount":1}')
    })

    test('large, small, and strange values keep their digits or are in extra_properties', async () => {
      const json = (messageId: string, value: string): OutgoingEvent => ({
        ...writtenEvent({ messageId }),
        json: writtenEvent({ messageId, properties: { value: 0 } }).json.replace('"value":0', `"value":${value}`),
      })
      await stage(writtenEvent({ messageId: 'first', properties: { value: 0.5 } }))
      const values: Record<string, string> = {
        big: '12345678901234567890',
        huge: '1e400',
        cents: '0.1',
        negative: '-17.75',
        tiny: '1e-30',
        exponent: '1.5e3',
      }
      await stage(...Object.entries(values).map(([id, value]) => json(id, value)))
      await load()
      const rows = await query(
        `SELECT ${column('id')} AS id, ${forms.number('value')} AS value FROM {order_completed} ORDER BY 1`,
      )
      expect(Object.fromEntries(rows.map(({ id, value }) => [id, value]))).toMatchObject({
        first: '0.5',
        big: '12345678901234567890',
        huge: null,
        cents: '0.1',
        negative: '-17.75',
        tiny: null,
        exponent: '1500',
      })
      const extra = await query(
        `SELECT ${column('id')} AS id FROM {order_completed} WHERE ${forms.member('extra_properties', 'value')} IS NOT NULL ORDER BY 1`,
      )
      expect(extra.map(({ id }) => id)).toEqual(['huge', 'tiny'])
    })

    test('texts come through unchanged', async () => {
      const texts = [
        "it's",
        'a "quoted" \\ text',
        'line\nbreak\ttab',
        'Größe 注文 😀',
        '{{x}} ${y} %s ?',
        '; drop table tracks --',
        '',
      ]
      await stage(...texts.map((text, at) => writtenEvent({ messageId: `t${at}`, properties: { text } })))
      await load()
      const rows = await query(
        `SELECT ${column('id')} AS id, ${column('text')} AS text FROM {order_completed} ORDER BY 1`,
      )
      expect(rows.map(({ text }) => text)).toEqual(texts)
    })

    test('names that are reserved, long, empty, or in other scripts get columns', async () => {
      const names = [
        'select',
        'Order',
        'order',
        'group',
        '',
        'a.b',
        'имя',
        'x'.repeat(200),
        '_TABLE_1',
        'oid',
        'ctid',
        'xmin',
        '1st',
      ]
      await stage(
        writtenEvent({ messageId: 'n', properties: Object.fromEntries(names.map((each, at) => [each, `v${at}`])) }),
      )
      await load()
      const [row] = await query(
        `SELECT ${column('select')} AS a, ${column('имя')} AS b, ${column('_1st')} AS c FROM {order_completed}`,
      )
      expect(row).toEqual({ a: 'v0', b: 'v6', c: 'v12' })
      const tables = await warehouse.tables(context)
      expect(tables.find((each) => each.name === 'order_completed')?.columns.length).toBeGreaterThan(names.length)
    })

    test('deleted users leave the tables and the stage', async () => {
      await stage(
        identify('gone', { name: 'G' }),
        writtenEvent({ userId: 'gone' }),
        writtenEvent({ userId: 'stays', messageId: 's1' }),
      )
      await load()
      await stage(
        writtenEvent({ userId: 'gone' }),
        writtenEvent({ userId: undefined, anonymousId: 'a1' }),
        writtenEvent({ userId: 'stays', messageId: 's2' }),
      )
      const row: OutgoingRow = {
        recordId: 'r1',
        operation: 'delete',
        object: 'users',
        key: 'gone',
        version: 1,
        json: JSON.stringify({ userIds: ['gone'], anonymousIds: ['a1'], externalIds: [] }),
      } as OutgoingRow
      expect(await definition.deliverRows?.([row], context)).toMatchObject({ outcomes: [{ kind: 'delivered' }] })
      await load()
      expect(await ids('tracks')).toEqual(['s1', 's2'])
      expect(await ids('users')).toEqual([])
    })

    test('a column that was dropped, and a type that was changed after staging, lose no value', async () => {
      await stage(writtenEvent({ messageId: 'a', properties: { kept: 'x', value: 'one', other: 5 } }))
      await load()
      await stage(
        writtenEvent({ messageId: 'b', properties: { kept: 'y', value: '22', other: 6 } }),
        writtenEvent({ messageId: 'c', properties: { value: 'three' } }),
      )
      await warehouse.dropColumn(context, { table: 'order_completed', column: 'kept' })
      await warehouse.changeType(context, {
        table: 'order_completed',
        column: 'value',
        type: String(await typeOf('order_completed', 'other')),
      })
      expect(await load()).toMatchObject({ unfit: 1 })
      const rows = await query(
        `SELECT ${column('id')} AS id, ${column('kept')} AS kept, ${forms.number('value')} AS value, ${forms.member('extra_properties', 'value')} AS extra FROM {order_completed} ORDER BY 1`,
      )
      expect(rows).toEqual([
        { id: 'a', kept: null, value: null, extra: 'one' },
        { id: 'b', kept: 'y', value: '22', extra: null },
        { id: 'c', kept: null, value: null, extra: 'three' },
      ])
    })

    const typeOf = async (table: string, name: string): Promise<string | undefined> =>
      (await warehouse.tables(context)).find((each) => each.name === table)?.columns.find((each) => each.name === name)
        ?.type

    test('a change of a type is counted first, and brings values back from extra_properties', async () => {
      await stage(writtenEvent({ messageId: 'a', properties: { value: 'x' } }))
      await stage(
        writtenEvent({ messageId: 'b', properties: { value: '12' } }),
        writtenEvent({ messageId: 'c', properties: { value: '7.5', other: 1 } }),
      )
      await load()
      const type = String(await typeOf('order_completed', 'other'))
      const change = { table: 'order_completed', column: 'value', type }
      expect(await warehouse.conversion(context, change)).toEqual({
        values: 3,
        convert: 2,
        fromExtra: 0,
        examples: ['x'],
      })
      await warehouse.changeType(context, change)
      expect(await typeOf('order_completed', 'value')).toBe(type)
      const read = () =>
        query(
          `SELECT ${column('id')} AS id, ${forms.number('value')} AS value, ${forms.member('extra_properties', 'value')} AS extra FROM {order_completed} ORDER BY 1`,
        )
      expect(await read()).toEqual([
        { id: 'a', value: null, extra: 'x' },
        { id: 'b', value: '12', extra: null },
        { id: 'c', value: '7.5', extra: null },
      ])
      const text = String(await typeOf('order_completed', 'user_id'))
      expect(await warehouse.conversion(context, { ...change, type: text })).toMatchObject({
        values: 2,
        convert: 2,
        fromExtra: 1,
      })
      await warehouse.changeType(context, { ...change, type: text })
      const back = await query(
        `SELECT ${column('id')} AS id, ${forms.member('extra_properties', 'value')} AS extra, ${column('value')} AS value FROM {order_completed} ORDER BY 1`,
      )
      expect(back[0]).toEqual({ id: 'a', extra: null, value: 'x' })
      await warehouse.renameColumn(context, { table: 'order_completed', column: 'value', name: 'amount' })
      expect(
        await query(`SELECT ${column('amount')} AS amount FROM {order_completed} WHERE ${column('id')} = 'a'`),
      ).toEqual([{ amount: 'x' }])
    })

    test('a change of a type that fails after any statement, and is repeated, brings values back', async () => {
      for (let at = 1; ; at++) {
        const table = `round_${at}`
        const event = `Round ${at}`
        await stage(writtenEvent({ messageId: `${at}a`, event, properties: { value: 1 } }))
        await stage(writtenEvent({ messageId: `${at}b`, event, properties: { value: 'n/a' } }))
        await load()
        const type = String(await typeOf(table, 'user_id'))
        peer.statements()
        peer.failAt(at, 'after')
        let failures = 0
        for (;;) {
          try {
            await warehouse.changeType(context, { table, column: 'value', type })
            break
          } catch (error) {
            if (!(error instanceof RetryableError)) throw error
            failures++
          }
        }
        peer.failAt(Number.POSITIVE_INFINITY, 'before')
        const [found] = await query(
          `SELECT ${column('value')} AS value, ${forms.member('extra_properties', 'value')} AS extra FROM {${table}} WHERE ${column('id')} = '${at}b'`,
        )
        expect({ at, ...found }).toEqual({ at, value: 'n/a', extra: null })
        if (failures === 0) return
      }
    })

    test('rows are counted by table and time', async () => {
      await stage(
        writtenEvent({ receivedAt: '2026-02-01T00:00:00.000Z' }),
        writtenEvent({ receivedAt: '2026-02-01T23:59:59.999Z' }),
        writtenEvent({ receivedAt: '2026-02-02T00:00:00.000Z' }),
      )
      await load()
      const [from, to] = [Date.UTC(2026, 1, 1), Date.UTC(2026, 1, 2)]
      expect(await warehouse.count(context, { from, to })).toMatchObject({ tracks: 2, order_completed: 2 })
    })

    test('a failure before or after any statement of staging or loading neither loses an event nor stores it twice', async () => {
      const before = [writtenEvent({ messageId: 'k0' }), identify('u', { plan: 'a' }, { messageId: 'k1' })]
      await stage(...before)
      await load()
      for (const when of ['before', 'after'] as const) {
        // Each round fails one statement later, until a round has no failure.
        for (let at = 1; ; at++) {
          const events = [
            writtenEvent({ messageId: `${when}-${at}-0` }),
            writtenEvent({ messageId: `${when}-${at}-1`, event: `Event ${at % 3}` }),
            identify('u', { plan: `${when}-${at}` }, { messageId: `${when}-${at}-2` }),
          ]
          peer.statements()
          peer.failAt(at, when)
          let failures = 0
          const repeat = async <T>(work: () => Promise<T>): Promise<T> => {
            for (;;) {
              try {
                return await work()
              } catch (error) {
                if (!(error instanceof RetryableError)) throw error
                failures++
                context = contextOf(given)
              }
            }
          }
          await repeat(() => stage(...events))
          await repeat(load)
          peer.failAt(Number.POSITIVE_INFINITY, 'before')
          const stored = [...(await ids('tracks')), ...(await ids('identifies'))]
          for (const { messageId } of events) expect(stored.filter((id) => id === messageId)).toEqual([messageId])
          expect(new Set(stored).size).toBe(stored.length)
          expect(await query(`SELECT ${column('plan')} AS plan FROM {users}`)).toEqual([{ plan: `${when}-${at}` }])
          if (failures === 0) break
        }
      }
    })

    test('rows of a sync are written, skipped, and deleted by their operation', async () => {
      const object = tableObject({ table: 'customers', key: 'id' })
      let version = 0
      const row = (operation: OutgoingRow['operation'], id: string, values: Given = {}): OutgoingRow =>
        ({
          recordId: `r${++version}`,
          operation,
          object,
          key: id,
          version,
          json: JSON.stringify({ id, ...values }),
        }) as OutgoingRow
      const write = async (...rows: OutgoingRow[]): Promise<string[]> => {
        const result = await definition.deliverRows?.(rows, context)
        return ((result?.outcomes ?? []) as { kind: string }[]).map(({ kind }) => kind)
      }
      expect(await write(row('update', 'a', { plan: 'x' }), row('delete', 'a'))).toEqual(['skipped', 'delivered'])
      expect(
        await write(row('upsert', 'a', { plan: 'free', spent: 1.5 }), row('insert', 'b', { plan: 'pro', spent: 2 })),
      ).toEqual(['delivered', 'delivered'])
      expect(
        await write(
          row('upsert', 'a', { plan: 'pro' }),
          row('insert', 'b', { plan: 'lost' }),
          row('update', 'c', { plan: 'lost' }),
          row('insert', "d'1", { plan: null }),
        ),
      ).toEqual(['delivered', 'skipped', 'skipped', 'delivered'])
      expect(await write(row('update', 'b', { plan: null }), row('upsert', 'e', { spent: 'not a number' }))).toEqual([
        'delivered',
        'rejected',
      ])
      const read = () =>
        query(
          `SELECT ${column('id')} AS id, ${column('plan')} AS plan, ${forms.number('spent')} AS spent FROM {customers} ORDER BY 1`,
        )
      expect(await read()).toEqual([
        { id: 'a', plan: 'pro', spent: '1.5' },
        { id: 'b', plan: null, spent: '2' },
        { id: "d'1", plan: null, spent: null },
      ])
      const keys: string[] = []
      await definition.listKeys?.(context, object, async (some) => void keys.push(...some))
      expect(keys).toEqual(['a', 'b', "d'1"])
      expect(await write(row('delete', 'a'), row('delete', 'missing'))).toEqual(['delivered', 'delivered'])
      expect((await read()).map(({ id }) => id)).toEqual(['b', "d'1"])
      expect(await write(row('upsert', 'a', { plan: 'again' }))).toEqual(['delivered'])
      expect((await read())[0]).toEqual({ id: 'a', plan: 'again', spent: null })
      expect(await write(row('upsert', 'a'), row('upsert', 'f'))).toEqual(['delivered', 'delivered'])
      expect(await write(row('delete', 'f'))).toEqual(['delivered'])
      // A load of events leaves rows alone.
      await stage(writtenEvent())
      await load()
      expect(await read()).toHaveLength(3)
    })

    test('ten questions of analysts have the answers of a plain evaluation', async () => {
      const made = makeShopEvents()
      const events = shopEvents(made)
      await stage(...events.slice(0, 60))
      await stage(...events.slice(60))
      await load()
      for (const { title, sql, answer } of analystQuestions) {
        const expected = answer(made)
        expect({ title, answer: answerOf(await query(sql(forms)), expected) }).toEqual({ title, answer: expected })
      }
    })

    test('a failure before or after any statement of a change leaves the change to be repeated', async () => {
      const value = (at: number) => (at % 2 === 0 ? `${at}` : 'many')
      for (const when of ['before', 'after'] as const)
        for (let at = 1; ; at++) {
          const [table, changed, renamed] = [`changed_${when}_${at}`, 'value', 'amount']
          await stage(
            ...[1, 2].map((each) =>
              writtenEvent({ messageId: `${each}`, event: table, properties: { value: value(each), other: each } }),
            ),
          )
          await load()
          const type = String(await typeOf(table, 'other'))
          let failures = 0
          const repeat = async (work: () => Promise<void>): Promise<void> => {
            for (;;) {
              try {
                return await work()
              } catch (error) {
                if (!(error instanceof RetryableError)) throw error
                failures++
                context = contextOf(given)
              }
            }
          }
          peer.failAt(at, when)
          await repeat(() => warehouse.changeType(context, { table, column: changed, type }))
          await repeat(() => warehouse.renameColumn(context, { table, column: changed, name: renamed }))
          await repeat(() => warehouse.dropColumn(context, { table, column: 'other' }))
          peer.failAt(Number.POSITIVE_INFINITY, 'before')
          expect(
            await query(
              `SELECT ${column('id')} AS id, ${forms.number(renamed)} AS value, ${forms.member('extra_properties', changed)} AS extra FROM {${table}} ORDER BY 1`,
            ),
          ).toEqual([
            { id: '1', value: null, extra: 'many' },
            { id: '2', value: '2', extra: null },
          ])
          const names = (await warehouse.tables(context)).find(({ name }) => name === table)?.columns
          expect(names?.map(({ name }) => name)).not.toContain('other')
          expect(names?.map(({ name }) => name)).not.toContain(changed)
          if (failures === 0) break
        }
    })

    test('two loads at once store each event once', async () => {
      for (let round = 0; round < 3; round++) {
        await stage(
          writtenEvent({ messageId: `p${round}a` }),
          writtenEvent({ messageId: `p${round}b`, event: 'Other' }),
        )
        const other = contextOf(given)
        const results = await Promise.allSettled([load(), warehouse.load(other)])
        for (const result of results)
          if (result.status === 'rejected') await rejectsRetryably(Promise.reject(result.reason))
        await load()
      }
      expect(await ids('tracks')).toEqual(['p0a', 'p0b', 'p1a', 'p1b', 'p2a', 'p2b'])
    })
  })
}
