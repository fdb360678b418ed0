import { setImmediate as round } from 'node:timers/promises'
import { createWorkShare, type WorkShare } from '@tributary/kernel'
import { expect, onTestFinished, test, vi } from 'vitest'
import { defaultCollectSettings } from '../ports.ts'
import { basic, liveKey, otherKey, startCollect } from '../testing/server.ts'
import { createTurns } from './turns.ts'

const KiB = 1024
const bodyOf = (bytes: number, more = ''): string =>
  `{${more}"batch":[{"type":"track","userId":"u","event":"e","properties":{"n":"${'n'.repeat(bytes)}"}}]}`

/** Creates turns and a work share on a fake clock that only the test advances. */
const standing = (waiting = 16) => {
  let time = 1000
  const pass = (ms: number): void => {
    time += ms
  }
  return { share: createWorkShare({ waiting, share: 0.25, together: 0.5, burstMs: 50 }, () => time), pass }
}

test('owners take turns, the jobs of one owner run in order, and the number of waiting jobs is limited', async () => {
  const { share, pass } = standing(3)
  const turns = createTurns(share, { largeBytes: 10, ownerBytes: 250, allBytes: 400 })
  const ran: string[] = []
  const begin = (owner: string, name: string, bytes: number): boolean =>
    turns.begin(owner, bytes, () => {
      ran.push(name)
      return false
    })
  for (const owner of ['a', 'b', 'c']) turns.begin(owner, 100, () => (pass(500), false))
  expect([begin('a', 'a1', 100), begin('a', 'a2', 100)]).toEqual([true, true])
  // The limits are reached in this order: the bytes of one owner, the number of jobs, the bytes of all owners.
  expect(begin('a', 'a3', 100)).toBe(false)
  expect([begin('a', 'a4', 20), begin('a', 'a5', 1)]).toEqual([true, false])
  expect([begin('b', 'b1', 150), begin('c', 'c1', 100)]).toEqual([true, false])
  expect(turns.waiting()).toBe(370)
  for (let n = 0; n < 10; n++) await round()
  expect(ran).toEqual([])
  pass(60_000)
  // The new job does not overtake waiting jobs. Its call makes the share check the clock again.
  expect(begin('b', 'b2', 30)).toBe(true)
  await expect.poll(() => ran.length).toBe(5)
  expect(ran).toEqual(['a1', 'b1', 'a2', 'b2', 'a4'])
  expect(turns.waiting()).toBe(0)
})

test('ordinary events never wait, whatever the size and number of their bodies', () => {
  const { share, pass } = standing()
  const turns = createTurns(share, { largeBytes: 256 * KiB, ownerBytes: 1, allBytes: 1 })
  let parts = 0
  for (let n = 0; n < 1000; n++)
    turns.begin('a', 4096 * KiB, () => {
      // 4 MiB of common events take 15 ms.
      pass(2)
      parts++
      return parts % 16 !== 0
    })
  return expect.poll(() => parts).toBe(16_000)
})

test('when a workspace exceeds its share, its large bodies wait, and its small bodies and other workspaces continue', async () => {
  const { share, pass } = standing()
  const slow: WorkShare = {
    ...share,
    run: (key, work, pieces) =>
      share.run(
        key,
        () => {
          const result = work()
          // A large body takes long in this test.
          if (pieces !== undefined && pieces() > 1) pass(500)
          return result
        },
        pieces,
      ),
  }
  const running = await startCollect({
    workShare: slow,
    settings: { turns: { ...defaultCollectSettings.turns, largeBytes: 100 * KiB, ownerBytes: 500 * KiB } },
  })
  onTestFinished(() => running.stop())
  const post = (body: string, key?: string): Promise<Response> =>
    fetch(`${running.origin}/v1/batch`, {
      method: 'POST',
      body,
      ...(key === undefined ? {} : { headers: { authorization: basic(key) } }),
    })
  const large = bodyOf(200 * KiB)
  expect((await post(large, liveKey)).status).toBe(200)
  const statuses: number[] = []
  const waiting = [1, 2, 3].map(() => post(large, liveKey))
  for (const answer of waiting) void answer.then(({ status }) => statuses.push(status))
  // Two requests can wait; the third is rejected immediately.
  await expect.poll(() => statuses).toEqual([429])
  expect((await post(bodyOf(90 * KiB), liveKey)).status).toBe(200)
  // A workspace whose key is only in the body is also charged.
  expect((await post(bodyOf(200 * KiB, `"writeKey":"${liveKey}",`))).status).toBe(429)
  expect((await post(large, otherKey)).status).toBe(200)
  expect(statuses).toEqual([429])
  expect(await running.entries()).toHaveLength(3)
  pass(60_000)
  await expect.poll(() => statuses.length, { timeout: 20_000 }).toBeGreaterThan(1)
  pass(60_000)
  const answers = await Promise.all(waiting)
  const refused = answers.find(({ status }) => status === 429)
  expect(refused?.headers.get('retry-after')).toBe('5')
  expect(await refused?.json()).toMatchObject({ reason: 'WORKSPACE_BUSY' })
  expect(statuses.toSorted()).toEqual([200, 200, 429])
})

test('jobs of other owners run between the parts of a job, and the next part waits while the owner of the job must wait', async () => {
  const { share, pass } = standing()
  const turns = createTurns(share, { largeBytes: 10, ownerBytes: 1000, allBytes: 1000 })
  const ran: string[] = []
  const inParts = (name: string, parts: number, ms: number): (() => boolean) => {
    let part = 0
    return () => {
      ran.push(`${name}${++part}`)
      pass(ms)
      return part < parts
    }
  }
  expect(turns.begin('a', 100, inParts('a', 3, 0))).toBe(true)
  expect(turns.begin('b', 100, inParts('b', 3, 500))).toBe(true)
  expect(ran).toEqual(['a1', 'b1'])
  await expect.poll(() => ran.length).toBe(4)
  // The work of an owner makes only that owner wait.
  expect(ran).toEqual(['a1', 'b1', 'a2', 'a3'])
  for (let n = 0; n < 10; n++) await round()
  expect(ran).toHaveLength(4)
  pass(60_000)
  turns.begin('a', 100, inParts('c', 2, 0))
  await expect.poll(() => ran.includes('b2')).toBe(true)
  pass(60_000)
  turns.begin('a', 100, inParts('d', 2, 0))
  await expect.poll(() => ran.includes('b3')).toBe(true)
})

test('a large batch is parsed in parts of at most 64 KiB, and small calls are served in between', async () => {
  const running = await startCollect()
  onTestFinished(() => running.stop())
  const post = (body: string): Promise<Response> =>
    fetch(`${running.origin}/v1/batch`, { method: 'POST', body, headers: { authorization: basic(liveKey) } })
  const hostile = `{"batch":[${Array.from({ length: 199_000 }, () => '{}').join(',')}]}`
  const parse = vi.spyOn(JSON, 'parse')
  onTestFinished(() => parse.mockRestore())
  const answers = await Promise.all([post(hostile), post(bodyOf(10)), post(bodyOf(4000 * KiB))])
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
  expect((await running.entries()).map(({ body }) => body.length).toSorted((a, b) => a - b)).toHaveLength(3)
  expect(Math.max(...parse.mock.calls.map(([text]) => String(text).length))).toBeLessThanOrEqual(64 * KiB)
  const broken = await post(`${hostile.slice(0, -2)},}`)
  expect([broken.status, await broken.json()]).toMatchObject([
    400,
    { reason: 'INVALID_JSON', metadata: { position: String(hostile.length - 1) } },
  ])
})
