import { RetryableError } from '@tributary/connector-kit'
import { outgoingEvent, runConnector } from '@tributary/connector-kit/testing'
import { expect, it, vi } from 'vitest'

const produced = vi.hoisted(() => ({ partitions: [] as number[][] }))
vi.mock('@platformatic/kafka', async (original) => ({
  ...(await original<object>()),
  produceV9: {
    api: {
      async: (_: unknown, __: unknown, ___: unknown, records: { partition: number }[]) => {
        produced.partitions.push(records.map(({ partition }) => partition))
        return produced.partitions.length
      },
    },
  },
}))
vi.mock('./cluster.ts', () => ({
  useCluster: (_: unknown, work: (cluster: object) => unknown) => work({}),
  topicOf: async () => [
    { host: 'a', port: 1 },
    { host: 'a', port: 1 },
  ],
  brokerAt: async () => ({ connection: {} }),
  answerOf: async (call: number) => {
    if (call > 1) throw new RetryableError('The connection ended')
    const first = produced.partitions[0]?.[0] ?? 0
    return {
      responses: [
        {
          partitionResponses: [
            { index: first, errorCode: 10 },
            { index: 1 - first, errorCode: 0 },
          ],
        },
      ],
    }
  },
}))

it('records that a partition accepted are delivered when the halves of another partition fail', async () => {
  const { kafka } = await import('./definition.ts')
  const events = [0, 1, 2, 3].map((at) => outgoingEvent({ eventId: `0-${at}-0` }))
  const settings = { brokers: 'a.example:9092', topic: 'events', tls: 'off', authentication: 'none', key: 'none' }
  const { outcomes } = await runConnector(kafka, settings, events)
  expect((outcomes as { kind: string }[]).map(({ kind }) => kind).toSorted()).toEqual([
    'delivered',
    'delivered',
    'retry',
    'retry',
  ])
})
