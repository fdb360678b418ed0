import { RetryableError } from '@tributary/connector-kit'
import { expect, it } from 'vitest'
import { type Item, produce } from './produce.ts'

const tooLarge = 10

it('records that a partition accepted are noted before the halves of another partition fail', async () => {
  const items = [0, 1, 0, 1].map(
    (partition, index): Item => ({ index, partition, record: { topic: 'events' } as never }),
  )
  const noted = new Map<number, string>()
  let requests = 0
  const sent = produce(
    async () => {
      if (++requests > 1) throw new RetryableError('The connection ended')
      return [
        { index: 0, errorCode: tooLarge },
        { index: 1, errorCode: 0 },
      ]
    },
    items,
    (those, { kind }) => {
      for (const { index } of those) noted.set(index, kind)
    },
  )
  await expect(sent).rejects.toThrow('The connection ended')
  expect([...noted]).toEqual([
    [1, 'delivered'],
    [3, 'delivered'],
  ])
})

it('a reason that all records share costs few requests, and the records that were not sent alone wait', async () => {
  const items = Array.from({ length: 100 }, (_, index): Item => ({ index, partition: 0, record: {} as never }))
  const noted = new Map<number, string>()
  let requests = 0
  await produce(
    async () => {
      requests++
      return [{ index: 0, errorCode: tooLarge }]
    },
    items,
    (those, { kind }) => {
      for (const { index } of those) noted.set(index, kind)
    },
  )
  expect(requests).toBeLessThan(50)
  expect([...noted.values()].filter((kind) => kind === 'rejected')).toHaveLength(20)
  expect([...noted.values()].filter((kind) => kind === 'retry')).toHaveLength(80)
})
