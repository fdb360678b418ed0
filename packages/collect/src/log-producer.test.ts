import { noMetrics, silentLogger } from '@tributary/kernel'
import { expect, test } from 'vitest'
import { createLogProducer } from './log-producer.ts'
import type { WorkspaceSpread, WriteKeyEntry } from './ports.ts'
import { createQuota } from './quota.ts'
import * as refusals from './refusal.ts'

const entry: WriteKeyEntry = {
  workspaceId: 'w',
  sourceId: 's',
  sourceTitle: 'Shop',
  sourceEnabled: true,
  app: 'http',
  settings: {},
  keyId: 'k',
}

test('what comes when a change of the spread is just over goes behind what waited for it', async () => {
  let spread: WorkspaceSpread = { partitions: [0], change: 'w 1' }
  const appended: string[] = []
  const producer = createLogProducer(
    {
      log: {
        async append({ body }) {
          appended.push(Buffer.from(body).toString())
          return { partition: 0, offset: appended.length }
        },
      },
      spreads: { of: () => spread, changes: () => [] },
      logger: silentLogger,
      metrics: noMetrics,
      clock: Date.now,
    },
    createQuota(() => 1e9),
    {
      overloaded: refusals.overloaded(1),
      unavailable: refusals.unavailable(1),
      quota: refusals.quotaExceeded(1),
      moving: refusals.moving(1),
    },
  )
  const send = (n: number): Promise<unknown> =>
    new Promise((resolve) =>
      producer.appendNow(
        {
          entry,
          meta: { w: 'w', s: 's', k: 'single', r: 1, ip: '' },
          body: Buffer.from(`{"userId":"u","n":${String(n).padStart(3, '0')}}`),
        },
        resolve,
      ),
    )
  const waiting = Array.from({ length: 250 }, (_, n) => send(n))
  spread = { partitions: [1, 2] }
  const answers = await Promise.all([...waiting, send(250), send(251)])
  expect(answers).toEqual(answers.map(() => undefined))
  expect(appended).toHaveLength(252)
  expect(appended).toEqual(appended.toSorted())
})
