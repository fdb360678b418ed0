import { audienceQuery } from '@tributary/contract'
import { newId } from '@tributary/kernel'
import { createTestEventStore } from '@tributary/test-kit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { compileAudience } from './compile.ts'
import { profilesQuery, runEvents } from './evaluate.ts'

/**
 * Maximum number of characters per profile that one store returns and the other receives. It does not depend on the
 * number of conditions that the profile meets.
 */
const charactersOfProfile = 64
const people = 2000
const asOf = Date.parse('2026-03-04T05:06:07.890Z')

let eventStore: Awaited<ReturnType<typeof createTestEventStore>>
beforeAll(async () => {
  eventStore = await createTestEventStore()
})
afterAll(() => eventStore.close())

/** Returns an audience of many distinct conditions on one event. A profile with enough events meets each of them. */
const broad = (count: number, operator: 'at_least' | 'at_most', join: 'and' | 'or') =>
  audienceQuery.parse({
    groups: {
      aaaa: {
        operator: join,
        segments: Array.from({ length: count }, (_, index) => ({
          id: `s${String(index).padStart(3, '0')}`,
          queries: [
            {
              id: `q${String(index).padStart(3, '0')}`,
              type: 'event',
              selectedEvent: 'Viewed',
              timeframe: { time: { unit: 'day', value: 1 + index } },
              count: { operator, value: 1 },
            },
          ],
        })),
      },
    },
  })

test.each([
  ['90 conditions, all of which have to be met', broad(90, 'at_least', 'and'), 90],
  ['90 conditions, one of which has to be met', broad(90, 'at_least', 'or'), 90],
  ['60 conditions, as many as fit into one number', broad(60, 'at_least', 'and'), 60],
  ['61 conditions that others meet', broad(61, 'at_most', 'and'), 61],
  ['one condition', broad(1, 'at_least', 'and'), 1],
])('the statement of an audience with %s lists each profile once', async (_, query, sets) => {
  const workspaceId = newId()
  const rows = Array.from({ length: people }, (__, index) => ({
    workspace_id: workspaceId,
    source_id: workspaceId,
    event_id: `0-${index}`,
    message_id: `${index}`,
    type: 'track',
    event: 'Viewed',
    user_id: `user-${index}`,
    status: 'accepted',
    receive_time: asOf - 60_000,
    timestamp: asOf - 60_000,
    original: '{}',
  }))
  // Each profile has two of these events, so it meets the conditions with at least one event, and not those with at
  // most one.
  for (const part of [0, 1])
    await eventStore.insert(
      'events',
      rows.map((row) => JSON.stringify({ ...row, event_id: `${part}-${row.event_id}` })),
      { token: newId() },
    )
  let answered = 0
  const counting: Pick<typeof eventStore, 'query'> = {
    async query<Row>(...given: Parameters<typeof eventStore.query>) {
      const found = await eventStore.query<Row>(...given)
      answered += JSON.stringify(found).length
      return found
    },
  }
  const { events, profiles } = compileAudience(query, { workspaceId, asOf, queryOf: () => undefined })
  if (events === undefined) throw new Error('The conditions are on events')
  const options = { workspaceId, slot: 'short', signal: new AbortController().signal } as const
  const found = await runEvents(counting, events, options)
  expect(found.sizes).toEqual(Array.from({ length: sets }, () => people))
  const asked = profilesQuery(profiles, found, { text: 'select id from members' })
  const characters = asked.parameters.reduce<number>((sum, each) => sum + String(each).length, 0)
  expect(answered).toBeLessThan(people * charactersOfProfile + 10_000)
  expect(characters).toBeLessThan(people * charactersOfProfile + 10_000)
})
