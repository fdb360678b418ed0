import { createTestStores, eventually } from '@tributary/test-kit'
import { expect, test } from 'vitest'
import { createFixture } from './testing.ts'
import { relay } from './testing-connector.ts'

const { database, store } = await createTestStores()

test('100,000 events for a dead destination stay in the log, and only the probed ones are checked', async () => {
  let checked = 0
  let asked = 0
  await using stack = new AsyncDisposableStack()
  const fixture = await createFixture({
    db: database.db,
    eventStore: store,
    connector: {
      ...relay,
      deliver: (events, given) => {
        asked += events.length
        return relay.deliver(events, given)
      },
    },
    // Called for each event that is checked.
    forgotten: {
      until: () => {
        checked++
        return 0
      },
      version: () => '',
      isOf: () => false,
    },
  })
  stack.defer(() => fixture.close())
  const dead = fixture.destination({ url: 'http://127.0.0.1:1/' })
  await fixture.append([dead], 100_000, 100)
  const worker = () => fixture.delivery.state().workers.find(({ destinationId }) => destinationId === dead)
  await eventually('all of them are held', () => (worker()?.heldEvents ?? 0) > 99_000 && worker()?.state === 'broken')
  const before = asked
  await eventually('it is asked ten times more', () => asked >= before + 10)
  // Only the record of the probe was checked.
  expect(checked).toBeLessThan(5000)
  expect(worker()?.heldEvents).toBeGreaterThan(99_000)
})
