import { once } from 'node:events'
import { setImmediate } from 'node:timers/promises'
import type { EventStore } from '@tributary/storage'
import { expect, test } from 'vitest'
import { hidingErased } from './erased-events.ts'

test('if a query fails before its caller awaits it, the caller gets the error and the process continues', async () => {
  const store = { query: () => Promise.reject(new Error('away')) } as Partial<EventStore> as EventStore
  const { query } = hidingErased(store, {} as never)
  const unheard = once(process, 'unhandledRejection').then(() => 'unheard')
  const answer = query('select 1', {}, { owner: 'system' })
  expect(await Promise.race([unheard, setImmediate('heard')])).toBe('heard')
  await expect(answer).rejects.toThrow('away')
})
