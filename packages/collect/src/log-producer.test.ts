import { setImmediate as pause } from 'node:timers/promises'
import { noMetrics, silentLogger } from '@tributary/kernel'
import { expect, test } from 'vitest'
import { createAdmission, createQuota } from './admission.ts'
import { createLogProducer } from './log-producer.ts'
import type { WorkspaceSpread, WriteKeyEntry } from './ports.ts'
import { retryLaterAfter } from './refusal.ts'

const entry: WriteKeyEntry = {
  organizationId: 'o1',
  workspaceId: 'w',
  sourceId: 's',
  sourceTitle: 'Shop',
  sourceEnabled: true,
  app: 'http',
  settings: {},
  keyId: 'k',
}

const setUp = (first: WorkspaceSpread) => {
  let spread = first
  const appended: { partition: number | undefined; text: string }[] = []
  const producer = createLogProducer(
    {
      log: {
        async append({ partition, body }) {
          appended.push({ partition, text: Buffer.from(body).toString() })
          return { partition: 0, offset: appended.length }
        },
      },
      spreads: { of: () => spread, changes: () => [] },
      logger: silentLogger,
      metrics: noMetrics,
      clock: Date.now,
    },
    createQuota(() => 1e9),
    retryLaterAfter(1),
    createAdmission(() => 0, silentLogger),
  )
  const append = (kind: 'single' | 'batch', text: string, done: (refusal?: unknown) => void): Generator<void, void> =>
    producer.append({ entry, meta: { w: 'w', s: 's', k: kind, r: 1, ip: '' }, body: Buffer.from(text) }, done)
  return {
    appended,
    append,
    send: (kind: 'single' | 'batch', text: string): Promise<unknown> =>
      new Promise((resolve) => {
        for (const _ of append(kind, text, resolve));
      }),
    change: (next: WorkspaceSpread) => {
      spread = next
    },
  }
}

/** A batch that is large enough to be split in at least eight turns. */
const largeBatch = `{"batch":[${`{"userId":"u","text":"${'x'.repeat(1000)}"},`.repeat(1000)}{"userId":"v"}]}`

test('a request that arrives just after a change of the spread is processed after the requests that waited for the change', async () => {
  const { send, change, appended } = setUp({ partitions: [0], change: 'w 1' })
  const sendOne = (n: number): Promise<unknown> => send('single', `{"userId":"u","n":${String(n).padStart(3, '0')}}`)
  const waiting = Array.from({ length: 250 }, (_, n) => sendOne(n))
  change({ partitions: [1, 2] })
  const answers = await Promise.all([...waiting, sendOne(250), sendOne(251)])
  expect(answers).toEqual(answers.map(() => undefined))
  const texts = appended.map(({ text }) => text)
  expect(texts).toHaveLength(252)
  expect(texts).toEqual(texts.toSorted())
})

test('requests that waited for a change of the spread are split in turns, and other work runs between the turns', async () => {
  const { send, change } = setUp({ partitions: [0], change: 'w 1' })
  let turns = 0
  const answeredAt: number[] = []
  for (let n = 0; n < 3; n++) void send('batch', largeBatch).then(() => answeredAt.push(turns))
  change({ partitions: [1, 2] })
  while (answeredAt.length < 3) {
    await pause()
    turns++
  }
  expect((answeredAt[2] ?? 0) - (answeredAt[0] ?? 0)).toBeGreaterThanOrEqual(16)
})

test('if the spread changes while a request is split, the request is split again, in turns', async () => {
  const { append, change, appended } = setUp({ partitions: [0, 1] })
  let answer: unknown = 'none'
  const cutting = append('batch', largeBatch, (refusal) => (answer = refusal))
  for (let turn = 0; turn < 5; turn++) expect(cutting.next().done).toBe(false)
  change({ partitions: [2, 3] })
  let turns = 0
  while (cutting.next().done === false) turns++
  expect(turns).toBeGreaterThanOrEqual(8)
  await expect.poll(() => answer).toBeUndefined()
  expect(appended.map(({ partition }) => partition).toSorted()).toEqual([2, 3])
})
