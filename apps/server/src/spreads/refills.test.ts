import { expect, test } from 'vitest'
import { refills } from './refills.ts'

test('a run is begun once, behind others of its workspace, and done or failed when it is', async () => {
  const begun: (number | undefined)[] = []
  const ends: PromiseWithResolvers<void>[] = []
  const ask = refills(async (_, since) => {
    begun.push(since)
    const end = Promise.withResolvers<void>()
    ends.push(end)
    await end.promise
  })
  const one = { workspaceId: 'w', run: 'one' }
  const two = { workspaceId: 'w', run: 'two', since: 7 }
  expect([await ask(one), await ask(one), await ask(two)]).toEqual([false, false, false])
  expect(begun).toEqual([undefined])
  ends[0]?.resolve()
  await expect.poll(() => ask(one)).toBe(true)
  expect(await ask(one)).toBe(true)
  await expect.poll(() => begun).toEqual([undefined, 7])
  ends[1]?.reject(new Error('The event store is away'))
  await expect.poll(() => ask(two).then(String, (error: Error) => error.message)).toBe('The event store is away')
})
