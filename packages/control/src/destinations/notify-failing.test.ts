import { methods } from '@tributary/contract'
import { newId } from '@tributary/kernel'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import {
  type Caller,
  type Harness,
  idIn,
  makeResources,
  type Organization,
  startControl,
  startOrganization,
} from '../testing/control-harness.ts'

const minute = 60_000

let harness: Harness
let organization: Organization
let destination: string
beforeAll(async () => {
  harness = await startControl()
})
afterAll(() => harness[Symbol.asyncDispose]())
beforeEach(async () => {
  await harness.db.deleteFrom('parked_deliveries').execute()
  organization = await startOrganization(harness)
  destination = (await makeResources(organization.workspaceId, organization.administrator)).destination.name
})

type Parked = {
  state: 'waiting' | 'dead'
  attempts?: number
  firstMs: number
  events?: number
  reason?: string
  nextMs?: number
}
const park = ({ state, attempts = 1, firstMs, events = 1, reason = 'HTTP 500', nextMs = 0 }: Parked) =>
  harness.db
    .insertInto('parked_deliveries')
    .values({
      id: newId(),
      workspace_id: organization.workspaceId,
      source_id: newId(),
      destination_id: idIn(destination),
      log_partition: 0,
      log_offset: Math.floor(Math.random() * 1e9),
      event_indexes: [0],
      event_count: events,
      state,
      attempts,
      first_time: new Date(harness.now() + firstMs),
      next_time: new Date(harness.now() + nextMs),
      last_status: 500,
      last_reason: reason,
    })
    .execute()

const noticesOf = async (who: Caller) => (await who.ok(methods.notifications.list, { user: who.userId })).notifications

test('administrators and collaborators are notified of a failing destination once a day, with the reason', async () => {
  const { administrator, collaborator, guest, outsider } = organization
  await park({ state: 'dead', firstMs: -minute, events: 1200, nextMs: -minute })
  await park({ state: 'waiting', firstMs: -16 * minute, reason: 'HTTP 503', nextMs: minute })
  await harness.notifyFailingDestinations()
  await Promise.all([harness.notifyFailingDestinations(), harness.notifyFailingDestinations()])
  for (const who of [administrator, collaborator])
    expect(await noticesOf(who)).toMatchObject([
      {
        kind: 'delivery_failing',
        title: 'Delivery to Receiver is failing',
        body: '1,200 events could not be delivered; 1 event could not be delivered yet and will be retried. Last reason: HTTP 503',
        link: `/${destination}`,
      },
    ])
  for (const who of [guest, outsider]) expect(await noticesOf(who)).toEqual([])
  const live = harness.published.filter(({ channel }) => channel === `#server-to-user-${collaborator.userId}`)
  expect(live).toHaveLength(1)
  expect((await harness.audits()).filter(({ action }) => action.startsWith('notifications'))).toEqual([])
})

test('administrators are notified of a failing destination again the next day', async () => {
  await park({ state: 'waiting', firstMs: -16 * minute })
  await harness.notifyFailingDestinations()
  await harness.db
    .updateTable('notifications')
    .set({ cause: `${destination}/2026-03-03` })
    .where('user_id', '=', organization.administrator.userId)
    .execute()
  await harness.notifyFailingDestinations()
  expect(await noticesOf(organization.administrator)).toHaveLength(2)
})

test.each([
  ['tried in vain for less than a quarter of an hour', { state: 'waiting', firstMs: -14 * minute }],
  ['held without a try', { state: 'waiting', attempts: 0, firstMs: -60 * minute }],
  ['dead for longer than a day', { state: 'dead', firstMs: -3000 * minute, nextMs: -1441 * minute }],
] as const)('events that are %s cause no notification', async (_, parked) => {
  await park(parked)
  await harness.notifyFailingDestinations()
  expect(await noticesOf(organization.administrator)).toEqual([])
})

test.each(['paused', 'deleted'])('a destination that is %s causes no notification', async (how) => {
  const { administrator } = organization
  await park({ state: 'dead', firstMs: -minute })
  if (how === 'paused') await administrator.call('PATCH', `/${destination}`, { enabled: false })
  else await administrator.call('DELETE', `/${destination}`)
  await harness.notifyFailingDestinations()
  expect(await noticesOf(administrator)).toEqual([])
})
