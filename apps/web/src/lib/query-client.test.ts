import { expect, test } from 'vitest'
import { createQueryClient, keepMs, product, retryDelay } from './query-client.ts'

test('retries wait 1 s, doubling up to 30 s', () => {
  expect([0, 1, 2, 3, 4, 5, 6].map(retryDelay)).toEqual([1000, 2000, 4000, 8000, 16_000, 30_000, 30_000])
})

test('queries retry three times by default, mutations never, and data is kept five minutes', () => {
  const { queries, mutations } = createQueryClient(() => undefined).getDefaultOptions()
  expect(queries?.retry).toBe(3)
  expect(mutations?.retry).toBe(0)
  expect(queries?.gcTime).toBe(300_000)
  expect(keepMs).toBe(300_000)
})

test('queries about the product neither retry nor refetch when the window comes to the front', () => {
  expect(product).toEqual({ retry: false, retryOnMount: false, refetchOnWindowFocus: false })
})
