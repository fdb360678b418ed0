import { type Condition, compileFilter, conditionOperators, type EventConditions } from '@tributary/contract'
import { newId } from '@tributary/kernel'
import { createTestEventStore, type TestEventStore } from '@tributary/test-kit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type StoredEventRow, storedEvent, storedEventColumns } from './events/stored-event.ts'
import { prefilter } from './prefilter.ts'

let store: TestEventStore
let rows: StoredEventRow[]
const workspace = newId()

const originals = [
  '{"event":"Order Completed","properties":{"plan":"pro plan","total":5}}',
  '{"event":"Order Completed","properties":{"plan":"pr\\u006f plan"}}',
  '{"event":"Order Completed","properties":{"plan":["pro plan","free"],"ok":true}}',
  '{"event":"Order Completed","properties":{"plan":{"name":"pro plan"},"total":1e400,"big":100000000000000000000000}}',
  '{"event":"Order Completed","properties":{"plan":null,"ok":false,"text":"say \\"pro\\""}}',
  '{ "event" : "Order Completed" , "properties" : { "plan" : "PRO PLAN" } }',
  '{"event":"Order Completed","channel":"pro plan"}',
]
const contexts = ['{}', '{"page":{"url":"https://a.example/pro plan"}}', '{"traits":{"plan":"pro plan"}}']

beforeAll(async () => {
  store = await createTestEventStore()
  const made = originals.flatMap((original, n) =>
    contexts.map((context, m) => ({
      workspace_id: workspace,
      source_id: 's',
      event_id: `0-${n}-${m}`,
      message_id: `m-${n}-${m}`,
      type: m === 2 ? 'identify' : 'track',
      event: m === 2 ? '' : 'Order Completed',
      user_id: n % 2 === 0 ? 'user@a.example' : '',
      anonymous_id: n % 2 === 0 ? '' : 'Ünï',
      status: 'accepted',
      receive_time: Date.now(),
      timestamp: Date.now(),
      context,
      integrations: m === 1 ? '{"Webhook":"pro plan"}' : '',
      original,
    })),
  )
  await store.insert('events', made.map((row) => JSON.stringify(row)).join('\n'), { token: newId() })
  rows = await store.query<StoredEventRow>(`select ${storedEventColumns} from events order by event_id`)
})
afterAll(() => store.close())

const fields = [
  'event',
  'type',
  'userId',
  'anonymousId',
  'messageId',
  'properties.plan',
  'properties.plan.name',
  'properties.total',
  'properties.big',
  'properties.ok',
  'properties.text',
  'traits.plan',
  'context.page.url',
  'context',
  'test',
  'receivedAt',
  'integrations.Webhook',
  'extra.channel',
]
const values = [
  'pro plan',
  'plan',
  'pro',
  'PRO',
  'Order Completed',
  'track',
  'user@a.example',
  'Ünï',
  '5',
  'true',
  'false',
  'Infinity',
  '1e+23',
  'm-1-0',
  'say "pro"',
]

/**
 * Asserts that a prefilter excludes no event that meets its filter. Returns for each filter whether it excludes any.
 * One query covers all filters.
 */
const check = async (filters: readonly EventConditions[]): Promise<boolean[]> => {
  const params: Record<string, string> = { workspace }
  const parts = filters.map((filter, index) => {
    const found = prefilter(filter)
    if (found === undefined) return '1'
    for (const [name, value] of Object.entries(found.params)) params[`f${index}_${name}`] = value
    return found.where.replaceAll('{condition_', `{f${index}_condition_`)
  })
  const kept = await store.query<{ told: number[] }>(
    `select [${parts.join(', ')}] as told from events where workspace_id = {workspace:String} order by event_id`,
    params,
  )
  return filters.map((filter, index) => {
    const meets = compileFilter(filter)
    const told = kept.map((row) => Number(row.told[index]) === 1)
    const missed = rows.filter((row, place) => told[place] === false && meets(storedEvent(row)))
    expect(missed.map(({ original, context }) => [original, context, filter])).toEqual([])
    return told.includes(false)
  })
}

test('a prefilter never excludes a matching event, and many prefilters exclude some events', async () => {
  let narrowed = 0
  for (const operator of conditionOperators)
    for (const field of fields) {
      const filters = values.map((value) => ({
        match: 'all' as const,
        conditions: [{ id: 'aaaa', field, operator, value }],
      }))
      narrowed += (await check(filters)).filter(Boolean).length
    }
  expect(narrowed).toBeGreaterThan(50)
})

test('several conditions become one prefilter, whether all or any of them must be met', async () => {
  const plain: Condition = { id: 'aaaa', field: 'properties.plan', operator: 'equals', value: 'pro plan' }
  const user: Condition = { id: 'bbbb', field: 'userId', operator: 'contains', value: '@a.' }
  const untold: Condition = { id: 'cccc', field: 'properties.total', operator: 'greater_than', value: '3' }
  const together = await check([
    { match: 'all', conditions: [plain, user] },
    { match: 'any', conditions: [plain, user] },
    { match: 'all', conditions: [user, untold] },
  ])
  expect(together).toEqual([true, true, true])
  expect(prefilter({ match: 'any', conditions: [user, untold] })).toBeUndefined()
  expect(prefilter({ match: 'all', conditions: [untold] })).toBeUndefined()
  expect(prefilter({ match: 'all', conditions: [] })).toBeUndefined()
})
