import { expect, test } from 'vitest'
import { ApiError } from '../api/errors.ts'
import { workspacesQuery } from './account-queries.ts'
import { eventQuery } from './event-queries.ts'
import { createQueryClient, keepMs, product, retryDelay } from './query-client.ts'
import { sourcesQuery } from './workspace-queries.ts'

test('API-10: retries wait 1 s, doubling up to 30 s', () => {
  expect([0, 1, 2, 3, 4, 5, 6].map(retryDelay)).toEqual([1000, 2000, 4000, 8000, 16_000, 30_000, 30_000])
})

test('API-08, API-09, API-11: queries retry three times by default, mutations never, and data is kept five minutes', () => {
  const { queries, mutations } = createQueryClient(() => undefined).getDefaultOptions()
  expect(queries?.retry).toBe(3)
  expect(mutations?.retry).toBe(0)
  expect(queries?.gcTime).toBe(300_000)
  expect(keepMs).toBe(300_000)
})

test('queries about the product neither retry nor refetch when the window gets the focus (API-06, API-07)', () => {
  expect(product).toEqual({ retry: false, retryOnMount: false, refetchOnWindowFocus: false })
  // The same applies to a query of data that may not be stored yet.
  expect(eventQuery('workspaces/w1', '0-1-0')).toMatchObject(product)
})

test('API-09: a mutation that fails is sent only once', async () => {
  const client = createQueryClient(() => undefined)
  let sent = 0
  const mutation = client.getMutationCache().build(client, {
    mutationFn: () => {
      sent++
      return Promise.reject(new Error('no'))
    },
  })
  await expect(mutation.execute(undefined)).rejects.toThrow('no')
  expect(sent).toBe(1)
})

test('product queries are cached, except the list of workspaces (API-11)', () => {
  expect(workspacesQuery('users/u1').gcTime).toBe(0)
  expect(sourcesQuery('workspaces/w1').gcTime).toBeUndefined()
})

test('a query that keeps failing is reported once until it has succeeded; an ended session is reported each time', async () => {
  const reported: string[] = []
  const client = createQueryClient(
    (error) => void reported.push(String(error instanceof Error ? error.message : error)),
  )
  const ask = (answer: () => Promise<string>) =>
    client.fetchQuery({ queryKey: ['inbox'], queryFn: answer, retry: false, staleTime: 0 }).catch(() => undefined)
  const fault = () => Promise.reject(new Error('starting'))
  const expired = () => Promise.reject(new ApiError(401, { reason: 'TOKEN_EXPIRED', message: 'token expired' }, ''))
  await ask(fault)
  await ask(fault)
  expect(reported).toEqual(['starting'])
  await ask(() => Promise.resolve('here'))
  await ask(fault)
  expect(reported).toEqual(['starting', 'starting'])
  await ask(expired)
  await ask(expired)
  expect(reported.slice(2)).toEqual(['token expired', 'token expired'])
})
