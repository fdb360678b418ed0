import { setTimeout } from 'node:timers/promises'
import { type PeerRequest, startPeer } from '@tributary/connector-kit/testing'
import { eventMappings, type PipelineEvent } from '@tributary/contract'
import { newId, noMetrics } from '@tributary/kernel'
import {
  createForgottenUsers,
  createLearning,
  createProfileLedger,
  createProfileValues,
  rebuildProfiles,
} from '@tributary/profiles'
import { createTestStores, eventually } from '@tributary/test-kit'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { DestinationEntry } from './ports.ts'
import type { DeliverySettings } from './settings.ts'
import { createFixture, type Fixture, sampleEvent } from './testing.ts'
import { relay } from './testing-connector.ts'

const { database, store } = await createTestStores()
const { db } = database
const ledger = createProfileLedger(db)
let stack: AsyncDisposableStack
let workspaceId: string
let fixture: Fixture
let forgotten: ReturnType<typeof createForgottenUsers>
let learning: ReturnType<typeof createLearning>
/** The offset before which profiles have read every partition. */
let read: number
let looks: number
let status: number
let requests: readonly PeerRequest[]
let url: string

beforeEach(async () => {
  stack = new AsyncDisposableStack()
  workspaceId = newId()
  const organization_id = newId()
  await db.insertInto('organizations').values({ id: organization_id, title: 'Acme' }).execute()
  await db.insertInto('workspaces').values({ id: workspaceId, organization_id, title: 'W' }).execute()
  forgotten = createForgottenUsers({ db, keepMs: 86_400_000, clock: Date.now })
  learning = createLearning({ db, metrics: noMetrics })
  read = Number.POSITIVE_INFINITY
  looks = 0
  status = 200
  const peer = stack.adopt(await startPeer(() => ({ status })), (each) => each.close())
  ;({ requests, url } = peer)
})
afterEach(async () => {
  await stack.disposeAsync()
  await db.deleteFrom('parked_deliveries').execute()
})

const open = async (settings: Partial<DeliverySettings> = {}): Promise<void> => {
  const positions = { next: () => read, knownAt: () => 0, onChanged: () => {} }
  const values = createProfileValues({ db, positions, forgotten, clock: Date.now })
  const profiles: typeof values = {
    ...values,
    look: (...given) => {
      looks++
      return values.look(...given)
    },
  }
  const deps = { db, eventStore: store, connector: relay, workspaceId, forgotten, profiles }
  fixture = stack.adopt(await createFixture({ ...deps, settings: { maintenanceMs: 50, ...settings } }), (made) =>
    made.close(),
  )
}

type Who = { userId?: string; anonymousId?: string }
let number = 0
/** Lets profiles learn an email, and consent if it is given, a second after the last time. */
const learn = (who: Who, email: string, ads?: boolean): Promise<void> => {
  const eventId = `0-${String(++number).padStart(6, '0')}-7`
  const time = new Date(Date.parse('2026-01-01T01:00:00.000Z') + number * 1000).toISOString()
  const context = ads === undefined ? {} : { consent: { categoryPreferences: { ads } } }
  const event = { eventId, type: 'identify', ...who, traits: { email }, context, receivedAt: time, timestamp: time }
  return learning([{ workspaceId, sourceId: newId(), eventId, json: JSON.stringify(event) }])
}

const mappings = (event_name = '') =>
  eventMappings.parse([
    {
      id: 'aaaa',
      event_name,
      destination: 'send',
      field_mappings: [{ id: 'f001', source: { type: 'PROFILE', name: 'traits.email' }, target: { name: 'email' } }],
    },
    { id: 'bbbb', destination: 'send', field_mappings: [] },
  ])
const destination = (more: Partial<DestinationEntry> = {}): string =>
  fixture.destination({ url }, { mappings: mappings(), ...more })
const send = async (id: string, event: Partial<PipelineEvent> = {}): Promise<void> =>
  void (await fixture.append([id], 1, 1, {}, () => event))

const sent = (): (string | undefined)[] =>
  requests.flatMap(({ body }) =>
    (JSON.parse(body) as { payload?: { email?: string } }[]).map((each) => each.payload?.email),
  )
const reasons = async (): Promise<string[]> => (await fixture.attempts()).map(({ reason }) => reason)
const rows = () => db.selectFrom('parked_deliveries').selectAll().where('log_end', 'is', null).execute()

const later = { retry: { baseMs: 600_000, capMs: 600_000, maxElapsedMs: 4 * 3_600_000 } }
/** Sends an event to a destination that refuses it, and resolves when it waits for its retry. */
const fail = async (id: string, event: Partial<PipelineEvent> = {}): Promise<void> => {
  status = 503
  await send(id, event)
  await eventually('it waits', async () =>
    (await rows()).some((row) => row.destination_id === id && row.attempts === 1),
  )
}
const retry = async (id: string): Promise<string | undefined> => {
  const before = requests.length
  status = 200
  await db.updateTable('parked_deliveries').set({ next_time: new Date() }).execute()
  await fixture.delivery.retryNow(id)
  await eventually('nothing waits', async () => (await rows()).length === 0)
  expect(requests.length - before).toBeLessThanOrEqual(1)
  return sent()[before]
}
const forget = async (value: string, kind: 'erases' | 'suppresses'): Promise<void> => {
  const request = { requestId: newId(), actorId: newId(), time: new Date() }
  const identifiers = [{ type: 'user_id', value }]
  await db.transaction().execute((tx) =>
    ledger.forget(tx, workspaceId, {
      ...request,
      identifiers,
      erases: kind === 'erases',
      suppresses: kind !== 'erases',
    }),
  )
  await forgotten.refresh()
  await fixture.delivery.forget()
}
const lift = async (): Promise<void> => {
  const { hash } = await db
    .selectFrom('privacy_hashes')
    .select('hash')
    .where('workspace_id', '=', workspaceId)
    .where('type', '=', 'user_id')
    .executeTakeFirstOrThrow()
  await db.transaction().execute((tx) => ledger.release(tx, workspaceId, hash))
  await forgotten.refresh()
}

it('while profiles are rebuilt, events get the values from before, and do not wait', async () => {
  await open()
  await learn({ userId: 'u1' }, 'one@example.com')
  const id = destination()
  // The rebuild has emptied the tables and stops there, as a long one does.
  await database.pool.query(`create function stop_here() returns trigger language plpgsql as
    $$ begin perform pg_advisory_xact_lock(4711); return null; end $$`)
  await database.pool.query(
    'create trigger stop_here after insert on profiles for each statement execute function stop_here()',
  )
  stack.defer(async () => void (await database.pool.query('drop function stop_here() cascade')))
  const holder = await database.pool.connect()
  await holder.query('select pg_advisory_lock(4711)')
  const rebuilt = rebuildProfiles(db, workspaceId)
  await eventually('the rebuild stops', async () => {
    const { rows: waiting } = await database.pool.query(
      "select from pg_locks where locktype = 'advisory' and not granted",
    )
    return waiting.length > 0
  })
  await send(id)
  await eventually('it is sent', async () => requests.length === 1)
  await holder.query('select pg_advisory_unlock(4711)')
  holder.release()
  await rebuilt
  await send(id)
  await eventually('it is sent', async () => requests.length === 2)
  expect(sent()).toEqual(['one@example.com', 'one@example.com'])
})

it('if profiles are far behind, each event waits for its own time, and not for those before it', async () => {
  await open({ profileWaitMs: 400 })
  await learn({ userId: 'u1' }, 'one@example.com')
  read = 0
  const id = destination()
  const began = Date.now()
  for (let n = 0; n < 30; n++) {
    await send(id, { userId: n % 2 === 0 ? 'u1' : 'u2' })
    await setTimeout(10)
  }
  await eventually('all are sent', async () => requests.length === 30)
  expect(Date.now() - began).toBeLessThan(6000)
  expect(new Set(sent())).toEqual(new Set(['one@example.com', undefined]))
  await fixture.delivery.idle()
  expect((await reasons()).filter((reason) => reason.endsWith('profiles were behind'))).toHaveLength(15)
})

it('a user who is deleted before the retry is not sent, and one who is suppressed is sent without values', async () => {
  await open(later)
  await learn({ userId: 'u1' }, 'one@example.com')
  const id = destination()
  await fail(id)
  await forget('u1', 'suppresses')
  expect(await retry(id)).toBeUndefined()
  expect(requests).toHaveLength(2)
  await learn({ userId: 'u2' }, 'two@example.com')
  await fail(id, { userId: 'u2' })
  await forget('u2', 'erases')
  await retry(id)
  await fixture.delivery.idle()
  expect(await reasons()).toContain('The user was deleted')
  expect(sent()).toEqual(['one@example.com', undefined, 'two@example.com'])
})

it('when a suppression ends, new events have values again, and a retry sends what its first attempt sent', async () => {
  await open(later)
  await learn({ userId: 'u1' }, 'one@example.com')
  const id = destination()
  await forget('u1', 'suppresses')
  await fail(id)
  await lift()
  status = 200
  await send(id)
  await eventually('it is sent', async () => requests.length === 2)
  expect(sent()).toEqual([undefined, 'one@example.com'])
  expect(await retry(id)).toBeUndefined()
})

it('a merge before the retry changes no value, but the consent of the merged profile counts', async () => {
  await open(later)
  await learn({ anonymousId: 'a1' }, 'device@example.com', true)
  const [free, strict] = [destination(), destination({ consentCategories: ['ads'] })]
  const device = { userId: undefined, anonymousId: 'a1' } as unknown as Partial<PipelineEvent>
  for (const id of [free, strict]) await fail(id, device)
  await learn({ userId: 'u1' }, 'user@example.com', false)
  await learn({ userId: 'u1', anonymousId: 'a1' }, 'merged@example.com')
  status = 200
  await db.updateTable('parked_deliveries').set({ next_time: new Date() }).execute()
  for (const id of [free, strict]) await fixture.delivery.retryNow(id)
  await eventually('nothing waits', async () => (await rows()).length === 0)
  expect(sent().toSorted()).toEqual(['device@example.com', 'device@example.com', 'device@example.com', undefined])
})

it('a row that version 0.2.0 has written, without values, is delivered with values that are looked up anew', async () => {
  await open(later)
  await learn({ userId: 'u1' }, 'first@example.com')
  const id = destination()
  await fail(id)
  // Version 0.2.0 does not name the column.
  await db.updateTable('parked_deliveries').set({ profile: null }).execute()
  await fixture.restart()
  await learn({ userId: 'u1' }, 'second@example.com')
  expect(await retry(id)).toBe('second@example.com')
  expect((await rows()).length).toBe(0)
})

it('an event that no mapping with the profile can match neither waits nor is looked up', async () => {
  await open()
  await learn({ userId: 'u1' }, 'one@example.com')
  read = 0
  const id = destination({ mappings: mappings('Order Completed') })
  await send(id, { event: 'Product Viewed' })
  await send(id, { event: 'Order Completed' })
  await eventually('the first is sent', async () => requests.length === 1)
  await setTimeout(300)
  expect([sent(), looks]).toEqual([[undefined], 0])
  read = Number.POSITIVE_INFINITY
  await eventually('the other is sent', async () => requests.length === 2)
  expect([sent()[1], looks]).toEqual(['one@example.com', 1])
})

it('a batch looks up only those of its events that can use the profile', async () => {
  await open()
  await learn({ userId: 'u1' }, 'one@example.com')
  const id = destination({ mappings: mappings('Order Completed') })
  await fixture.append([id], 2, 2, {}, (n) => (sampleEvent(n).eventId === '0-0-0' ? { event: 'Product Viewed' } : {}))
  await eventually('both are sent', async () => sent().length === 2)
  expect(sent().toSorted()).toEqual(['one@example.com', undefined])
})
