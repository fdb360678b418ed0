import { setImmediate as nextRound } from 'node:timers/promises'
import type { OutgoingEvent } from '@tributary/connector-kit'
import { expect, test } from 'vitest'
import { sendPrepared } from './send-prepared.ts'

const batch = Array.from({ length: 4 }, (_, index) => ({ eventId: `e${index}` }) as OutgoingEvent)

/** Uses the thread for longer than one piece of work may take. */
const work = (): void => {
  const until = process.threadCpuUsage().user + 10_000
  while (process.threadCpuUsage().user < until);
}

test('other destinations send while a large batch is prepared, and its outcomes keep their order', async () => {
  let prepared = 0
  const rounds = new Set<number>()
  const sending = sendPrepared(
    batch,
    ({ eventId }) => {
      work()
      prepared++
      return eventId === 'e1' ? { kind: 'rejected', reason: 'no' } : { body: eventId, note: `note of ${eventId}` }
    },
    async (bodies) => {
      expect(bodies).toEqual(['e0', 'e2', 'e3'])
      return { outcomes: { kind: 'delivered' }, httpStatus: 200, latencyMs: 1 }
    },
  )
  rounds.add(prepared)
  while (prepared < batch.length) {
    await nextRound()
    rounds.add(prepared)
  }
  expect([...rounds]).toEqual([1, 2, 3, 4])
  expect((await sending).outcomes).toEqual([
    { kind: 'delivered', note: 'note of e0' },
    { kind: 'rejected', reason: 'no' },
    { kind: 'delivered', note: 'note of e2' },
    { kind: 'delivered', note: 'note of e3' },
  ])
})
