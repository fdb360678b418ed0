import { startPeer } from '@tributary/connector-kit/testing'
import { type EventMapping, eventMappings } from '@tributary/contract'
import { createWorkShare, newId } from '@tributary/kernel'
import { createTestStores, eventually } from '@tributary/test-kit'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createFixture, type Fixture, sortedIds } from '../testing.ts'
import { relay } from '../testing-connector.ts'

const { database, store } = await createTestStores()
let fixture: Fixture
let stack: AsyncDisposableStack
/**
 * While the test clock is slow, hardly any work time is repaid, even on a busy machine. It does not stand still: the
 * common workspace, too, can use more than its share, and would wait for ever.
 */
let isClockSlow = false
const threadMs = (): number => process.threadCpuUsage().user / 1000
beforeEach(async () => {
  stack = new AsyncDisposableStack()
  isClockSlow = false
  const workShare = createWorkShare(
    { waiting: Number.POSITIVE_INFINITY },
    () => performance.now() / (isClockSlow ? 50 : 1),
    threadMs,
  )
  fixture = await createFixture({ db: database.db, eventStore: store, connector: relay, start: false, workShare })
})
afterEach(async () => {
  await fixture.close()
  await stack.disposeAsync()
})

const mappings = (template: string): EventMapping[] =>
  eventMappings.parse([
    {
      id: 'aaaa',
      destination: 'order',
      field_mappings: [{ id: 'f001', source: { type: 'TEMPLATE', value: template }, target: { name: 'total' } }],
    },
  ])
/** The first is within the work budget of an event, but close to it; the second is far beyond it. */
const slow = mappings('{% for i in (1..4000) %}{% if 1 and 1 and 1 and 1 %}{% endif %}{% endfor %}1')
const endless = mappings(
  `{% for i in (1..9000) %}{% if ${Array(1600).fill('1').join(' and ')} %}{% endif %}{% endfor %}1`,
)

it('expensive mappings of one workspace do not block the deliveries of another', async () => {
  isClockSlow = true
  const order: string[] = []
  const peerOf = async (name: string) =>
    stack.adopt(
      await startPeer(() => {
        order.push(name)
        return { status: 200 }
      }),
      (peer) => peer.close(),
    )
  const [first, second] = [await peerOf('slow'), await peerOf('quick')]
  const expensive = fixture.destination({ url: first.url }, { mappings: slow })
  const common = fixture.destination({ url: second.url }, { workspaceId: newId() })
  // All records of the expensive workspace come first in the log.
  await fixture.append([expensive], 24, 12)
  await fixture.append([common], 40, 20)
  await fixture.delivery.start()
  await eventually('the common events', () => sortedIds(second).length === 40)
  // The share of the expensive workspace lets only some of its 24 events through before events of the other workspace
  // are sent.
  expect(order.filter((name) => name === 'slow').length).toBeLessThan(20)
  isClockSlow = false
  await eventually('the expensive events', () => sortedIds(first).length === 24, 50_000)
  await fixture.delivery.idle()
  const attempts = await fixture.attempts()
  expect(attempts.filter(({ status }) => status === 'delivered')).toHaveLength(64)
})

it('an event whose mapping exceeds the work limit fails with a reason in the delivery log', async () => {
  const peer = stack.adopt(await startPeer(), (each) => each.close())
  const endlessly = fixture.destination({ url: peer.url }, { mappings: endless })
  await fixture.append([endlessly], 10, 5)
  await fixture.delivery.start()
  await fixture.delivery.idle()
  const attempts = (await fixture.attempts()).filter(({ destination_id }) => destination_id === endlessly)
  expect(attempts).toHaveLength(10)
  for (const attempt of attempts)
    expect(attempt).toMatchObject({ status: 'dead', reason: expect.stringContaining('reads too much data') })
  expect(peer.requests).toHaveLength(0)
})

it('if delivery stops while events wait for their turn, no event is lost', async () => {
  const peer = stack.adopt(await startPeer(), (each) => each.close())
  const expensive = fixture.destination({ url: peer.url }, { mappings: slow })
  await fixture.append([expensive], 15, 15)
  await fixture.delivery.start()
  await eventually('the first event', () => peer.requests.length > 0)
  await fixture.restart()
  await eventually('all events', () => new Set(sortedIds(peer)).size === 15, 50_000)
})
