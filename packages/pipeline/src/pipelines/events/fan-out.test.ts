import { expect, it } from 'vitest'
import { microBatch } from '../../branches/store/test-batches.ts'
import { createFanOut } from './fan-out.ts'

it('a micro-batch goes to all branches, its rows with the promise of its deliveries, and is counted by status', () => {
  const appended = Promise.resolve()
  const reported: unknown[][] = []
  const fanOut = createFanOut({
    publish: { add: (...args) => reported.push(['publish', ...args]) },
    deliver: {
      add: (batch) => {
        reported.push(['deliver', batch])
        return appended
      },
    },
    store: { add: (batch, deliveries) => reported.push(['store', batch, deliveries === appended]) },
    metrics: { count: (name, by, labels) => reported.push([name, by, labels]) },
  })
  const batch = { ...microBatch(0, 0, ['a', 'b']), live: new Map([['s-1', []]]), rejected: new Map([['no_type', 3]]) }
  fanOut(batch)
  const accepted = ['pipeline_events', 2, { status: 'accepted' }]
  expect(reported).toEqual([
    ['publish', 's-1', []],
    ['deliver', batch],
    ['store', batch, true],
    accepted,
    ['pipeline_events', 3, { status: 'rejected' }],
    ['pipeline_events_rejected', 3, { reason: 'no_type' }],
  ])
  reported.length = 0
  fanOut({ ...batch, live: new Map(), rejected: new Map(), blocked: 4 })
  expect(reported.slice(2)).toEqual([accepted, ['pipeline_events', 4, { status: 'blocked' }]])
})
