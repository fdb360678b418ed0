import { setImmediate as nextRound } from 'node:timers/promises'
import { pieceMs } from '@tributary/kernel'
import { expect, it } from 'vitest'
import type { Lane } from '../log/record.ts'
import type { KeyOrder } from '../parking/key-order.ts'
import type { Readiness } from './readiness.ts'
import { createSending } from './sending.ts'
import type { WorkerLane } from './worker-lane.ts'

/** A lane with a number of full batches. */
const laneOf = (lane: Lane, batches: number): WorkerLane => {
  let left = batches
  return {
    lane,
    fill: () => {},
    isHeldUp: () => false,
    source: { brings: () => false, fill: () => {} },
    queue: { length: () => left, add: () => {} },
    nextBatch: () => {
      left--
      return []
    },
  } as unknown as WorkerLane
}

it('a destination with many batches starts one that takes long in each turn of the thread', async () => {
  let sent = 0
  const sending = createSending({
    lanes: { live: laneOf('live', 3), bulk: laneOf('bulk', 1) },
    keyOrder: { released: () => undefined } as unknown as KeyOrder,
    breaker: { state: () => 'flowing' },
    readiness: { ready: () => ({ concurrency: 16 }) } as unknown as Readiness,
    dispatcher: {
      inFlight: () => 0,
      send: () => {
        const until = process.threadCpuUsage().user + 2 * 1000 * pieceMs
        while (process.threadCpuUsage().user < until);
        sent++
      },
    },
    isHalted: () => false,
    clock: Date.now,
  })
  const rounds = new Set<number>()
  sending.pump()
  rounds.add(sent)
  while (sent < 4) {
    // Records that arrive meanwhile do not start batches out of turn.
    sending.pump()
    await nextRound()
    rounds.add(sent)
  }
  expect([...rounds]).toEqual([1, 2, 3, 4])
})
