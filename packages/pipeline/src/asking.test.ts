import { silentLogger } from '@tributary/kernel'
import { EventStoreUnavailable } from '@tributary/storage'
import { expect, test } from 'vitest'
import { createAsking } from './asking.ts'
import { Stopped } from './retrying.ts'

const open = () => {
  const controller = new AbortController()
  const settings = { retryBaseMs: 1, retryCapMs: 2 }
  return { controller, asking: createAsking({ settings, signal: controller.signal, logger: silentLogger }) }
}

test('a query is repeated while the event store is down, and the waiting time is reported until the response', async () => {
  const { asking } = open()
  const waits: number[] = []
  let tries = 0
  expect(asking.waitedMs()).toBe(0)
  const answer = await asking.ask(async () => {
    waits.push(asking.waitedMs())
    if (++tries < 20) throw new EventStoreUnavailable('away')
    return 'there'
  })
  expect([answer, tries]).toEqual(['there', 20])
  expect(waits.at(-1)).toBeGreaterThan(10)
  expect(waits).toEqual(waits.toSorted((a, b) => a - b))
  expect(asking.waitedMs()).toBe(0)
})

test('another error rejects the query, and so does the end of the pipeline', async () => {
  const { asking, controller } = open()
  await expect(asking.ask(() => Promise.reject(new Error('a mistake')))).rejects.toThrow('a mistake')
  const asked = asking.ask(() => Promise.reject(new EventStoreUnavailable('away')))
  controller.abort()
  await expect(asked).rejects.toThrow(Stopped)
  expect(asking.waitedMs()).toBe(0)
})

test('with several open queries, the waiting time is that of the oldest one', async () => {
  const { asking } = open()
  const first = Promise.withResolvers<void>()
  const asked = asking.ask(() => first.promise)
  await expect.poll(() => asking.waitedMs()).toBeGreaterThan(20)
  await asking.ask(async () => {})
  expect(asking.waitedMs()).toBeGreaterThan(20)
  first.resolve()
  await asked
  expect(asking.waitedMs()).toBe(0)
})
