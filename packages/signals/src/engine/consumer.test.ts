import { noMetrics } from '@tributary/kernel'
import type { Database } from '@tributary/storage'
import {
  type CompiledQuery,
  type DatabaseConnection,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from 'kysely'
import { expect, it, vi } from 'vitest'
import type { CachedSignal, WorkspaceSignals } from '../signal-cache.ts'
import { createSignalHandling } from './consumer.ts'

const now = Date.UTC(2026, 10, 29)
const time = new Date(now).toISOString()

/** A driver that stores nothing, and in which the signal exists. */
class SignalDriver extends DummyDriver {
  override async acquireConnection(): Promise<DatabaseConnection> {
    const connection = await super.acquireConnection()
    const executeQuery = async <R>({ sql: text }: CompiledQuery): Promise<QueryResult<R>> => ({
      rows: (text.includes('from "signals"') ? [{ id: 's' }] : []) as R[],
    })
    return { executeQuery, streamQuery: connection.streamQuery }
  }
}

/**
 * Returns a database that stores nothing, what was written for each workspace, in order, and the results at platforms of
 * the conversions.
 */
const openDatabase = () => {
  const written: string[] = []
  const results: unknown[] = []
  const db = new Kysely<Database>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new SignalDriver(),
      createIntrospector: (of) => new PostgresIntrospector(of),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
    log: ({ query: { sql: text, parameters } }) => {
      // The lock of a workspace comes before its conversions.
      const [table] = /signal_clicks as kept|pg_advisory_xact_lock/.exec(text) ?? []
      const what = table === 'pg_advisory_xact_lock' ? 'conversions' : 'clicks'
      const workspace = parameters.flat().find((each) => each === 'uses' || each === 'plain')
      if (text.includes('insert into signal_conversions')) results.push(...(parameters.at(-1) as unknown[]))
      if (table !== undefined) written.push(`${String(workspace)} ${what}`)
    },
  })
  return { db, written, results }
}

const signalsOf = (workspaceId: string, template: string): WorkspaceSignals => {
  const conversions = {
    platform: 'meta',
    action: 'convert',
    fields: { email: { type: 'TEMPLATE', value: template } },
    identifiers: { email: { targets: ['email'], weight: 1 } },
    needs: [['email']],
    maxAgeMs: { online: 86_400_000 },
  }
  const actions = [{ name: 'convert', targets: [{ name: 'email', type: 'string' }] }]
  const platform = {
    destinationId: 'd',
    definition: { slug: 'stub', title: 'Stub', actions, conversions },
    settings: { eventName: '', testCode: '', fields: undefined },
    destinationSettings: {},
    consentCategories: ['ads'],
  }
  const definition = {
    trigger: { type: 'events', events: [{ event_type: 'track', event_name: '' }], filters: [], filter_match: 'all' },
    value: { type: 'none' },
    event_id: { type: 'message_id' },
    conversion: { type: 'lead', custom_name: '' },
    refunds: null,
  }
  const signal = { id: 's', workspaceId, definition, platforms: [platform], enabledAt: 0, matches: () => 'event' }
  return {
    bySource: new Map([['source', [signal as unknown as CachedSignal]]]),
    byAudience: new Map(),
    settings: { without_consent: 'send', consent_path: 'context.consent' },
  }
}

const signals = new Map([
  ['uses', signalsOf('uses', '{{ profile.traits.email }}')],
  ['plain', signalsOf('plain', '{{ properties.email }}')],
])

const eventOf = (workspaceId: string) => ({
  workspaceId,
  sourceId: 'source',
  eventId: `0-1-${workspaceId}`,
  json: JSON.stringify({
    eventId: 'e',
    messageId: 'm',
    type: 'track',
    event: 'Order',
    userId: 'u1',
    properties: { gclid: 'g1' },
    context: {},
    receivedAt: time,
    timestamp: time,
  }),
})

const open = (more: { areProfilesSilent?: () => boolean } = {}) => {
  const { db, written, results } = openDatabase()
  const state = { isRead: false, forgotten: '' }
  const places: (object | undefined)[] = []
  const handling = createSignalHandling({
    db,
    clock: () => now,
    cache: { find: (workspaceId) => signals.get(workspaceId) },
    isForgotten: (workspaceId) => workspaceId === state.forgotten,
    profiles: {
      hasRead: () => state.isRead,
      look: async (_, events, _needs, place) => {
        places.push(place)
        const consent = { time, granted: ['ads'] }
        return events.map(() => ({ json: '{"traits":{"email":"a@example.com"}}', lacks: '', consent }))
      },
    },
    profileWaitMs: 30_000,
    ...more,
    metrics: noMetrics,
  })
  const done = handling.handle([eventOf('uses'), eventOf('plain')], { partition: 0, offset: 1 })
  return { handling, written, results, state, places, done }
}

const early = ['uses clicks', 'plain clicks', 'plain conversions']

it('only conversions that use the profile wait for profiles, and their clicks are stored before', async () => {
  const { written, state, done, handling } = open()
  await vi.waitFor(() => expect(written).toEqual(early))
  // A deletion of a user does not wait for profiles.
  await handling.settled()
  state.isRead = true
  await done
  expect(written).toEqual([...early, 'uses conversions'])
})

it('values are those of the event, or if profiles do not read it those they have by now, without their consent', async () => {
  const read = open()
  read.state.isRead = true
  await read.done
  expect(read.places).toEqual([{ partition: 0, offset: 1 }])
  expect(read.results).toEqual(['[["d","no_identifier",0]]', '[["d","",1]]'])
  const silent = open({ areProfilesSilent: () => true })
  await silent.done
  expect(silent.places).toEqual([undefined])
  expect(silent.results).toEqual(['[["d","no_identifier",0]]', '[["d","no_identifier",0]]'])
  expect(silent.written).toEqual([...early, 'uses conversions'])
})

it('a user who is deleted during the wait gets no conversion', async () => {
  const { written, state, done } = open()
  await vi.waitFor(() => expect(written).toEqual(early))
  state.forgotten = 'uses'
  state.isRead = true
  await done
  expect(written).toEqual(early)
})

it('stopping ends the wait, so that the batch comes again', async () => {
  const { written, done, handling } = open()
  await vi.waitFor(() => expect(written).toEqual(early))
  handling.stop()
  await expect(done).rejects.toThrow('aborted')
  expect(written).toEqual(early)
})
