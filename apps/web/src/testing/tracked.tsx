import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { act, renderHook } from '@testing-library/react'
import type { ReactNode } from 'react'
import { vi } from 'vitest'
import { flushAnalytics, startAnalytics } from '../lib/integrations/analytics.ts'
import { useNotices } from '../ui/overlays/toast.tsx'

/** A server's response to one call. */
export type CallAnswer = { status?: number; body: unknown }

type UseMutation<Input> = () => { mutateAsync: (input: Input) => Promise<unknown> }

/** Runs a mutation as a page does. `answers` returns the responses of the server. */
const mutate = async <Input,>(
  useIt: UseMutation<Input>,
  input: Input,
  answers: (path: string, body: unknown) => CallAnswer,
): Promise<{ unmount: () => void }> => {
  vi.stubGlobal('fetch', (path: string, { body }: RequestInit) => {
    const answer = answers(path, typeof body === 'string' ? JSON.parse(body) : undefined)
    return Promise.resolve(Response.json(answer.body, { status: answer.status ?? 200 }))
  })
  // Removes the notices of earlier tests.
  useNotices.setState({ waiting: [] })
  const client = new QueryClient()
  const { result, unmount } = renderHook(useIt, {
    wrapper: ({ children }: { children: ReactNode }) => (
      <QueryClientProvider client={client}>{children}</QueryClientProvider>
    ),
  })
  await act(async () => {
    await result.current.mutateAsync(input).catch(() => undefined)
  })
  return { unmount }
}

/** Runs a mutation against a server and returns the notices that it shows, oldest first: kind, title and description. */
export const noticed = async <Input,>(
  useIt: UseMutation<Input>,
  input: NoInfer<Input>,
  answers: (path: string, body: unknown) => CallAnswer,
): Promise<unknown[][]> => {
  const { unmount } = await mutate(useIt, input, answers)
  unmount()
  vi.unstubAllGlobals()
  return useNotices.getState().waiting.map(({ kind, title, description = '' }) => [kind, title, description])
}

/**
 * Runs a mutation against a server that gives one response, and returns the product events that were sent, as name and
 * properties. The test file has `// @vitest-environment happy-dom` on its first line.
 */
export const tracked = async <Input,>(
  useIt: UseMutation<Input>,
  input: NoInfer<Input>,
  answer: CallAnswer,
): Promise<{ event: string; properties: Record<string, unknown> }[]> => {
  const events: { event: string; properties: Record<string, unknown> }[] = []
  startAnalytics({
    writeKey: 'KEY',
    user: () => null,
    anonymousId: () => 'browser',
    send: (body) => {
      for (const { event, properties } of JSON.parse(body).batch) events.push({ event, properties })
      return Promise.resolve(200)
    },
    now: () => new Date(),
  })
  // Sends the events of earlier tests that are still queued.
  await flushAnalytics()
  events.length = 0
  const { unmount } = await mutate(useIt, input, () => answer)
  await flushAnalytics()
  unmount()
  vi.unstubAllGlobals()
  return events
}
