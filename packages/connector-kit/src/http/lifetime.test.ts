import { silentLogger } from '@tributary/kernel'
import { expect, it } from 'vitest'
import { createEgressPolicy } from './egress.ts'
import { callOnce, createLifetime } from './lifetime.ts'
import { createRequestClient } from './request-client.ts'

it('resources of a lifetime are closed once at its end, and immediately if added afterwards', async () => {
  const closed: string[] = []
  const lifetime = createLifetime()
  lifetime.onEnd(async () => void closed.push('first'))
  expect(lifetime.ended).toBe(false)
  await lifetime.end()
  await lifetime.end()
  lifetime.onEnd(async () => void closed.push('late'))
  expect(lifetime.ended).toBe(true)
  expect(closed).toEqual(['first', 'late'])
})

it('a single call has its own context, which ends with the call, also after a failure', async () => {
  const client = createRequestClient({ egress: createEgressPolicy(), logger: silentLogger })
  const deps = { client, settings: {}, clock: Date.now, logger: silentLogger, signal: new AbortController().signal }
  let closed = 0
  const failing = callOnce(deps, async ({ lifetime }) => {
    lifetime.onEnd(async () => void closed++)
    throw new Error('no')
  })
  await expect(failing).rejects.toThrow('no')
  expect(closed).toBe(1)
  await client.close()
})
