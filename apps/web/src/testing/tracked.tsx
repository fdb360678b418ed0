import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { act, renderHook } from '@testing-library/react'
import type { ReactNode } from 'react'
import { vi } from 'vitest'
import { flushAnalytics, startAnalytics } from '../lib/analytics.ts'

/**
 * Runs a mutation against a server that gives one answer, and returns the product events that it told, as name and
 * properties. The test file says `// @vitest-environment happy-dom` on its first line.
 */
export const tracked = async <Input,>(
  useIt: () => { mutateAsync: (input: Input) => Promise<unknown> },
  input: NoInfer<Input>,
  answer: { status?: number; body: unknown },
): Promise<{ event: string; properties: Record<string, unknown> }[]> => {
  const told: { event: string; properties: Record<string, unknown> }[] = []
  startAnalytics({
    writeKey: 'KEY',
    user: () => null,
    anonymousId: () => 'browser',
    send: (body) => {
      for (const { event, properties } of JSON.parse(body).batch) told.push({ event, properties })
      return Promise.resolve(200)
    },
    now: () => new Date(),
  })
  vi.stubGlobal('fetch', () => Promise.resolve(Response.json(answer.body, { status: answer.status ?? 200 })))
  const client = new QueryClient()
  const { result, unmount } = renderHook(useIt, {
    wrapper: ({ children }: { children: ReactNode }) => (
      <QueryClientProvider client={client}>{children}</QueryClientProvider>
    ),
  })
  await act(async () => {
    await result.current.mutateAsync(input).catch(() => undefined)
  })
  await flushAnalytics()
  unmount()
  vi.unstubAllGlobals()
  return told
}
