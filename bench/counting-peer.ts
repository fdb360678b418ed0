import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * A webhook that counts the accepted events or rows. It reads only a header, because it shares the product's
 * processors.
 */
export type CountingPeer = AsyncDisposable & {
  url: string
  events(): number
  /**
   * Resets the count. Returns the times at which the first tenth and the last of `events` events arrived, in ms of
   * `performance.now`.
   */
  expect(events: number): Promise<{ tenth: number; last: number }>
}

/** Starts the webhook. It accepts everything, refuses everything with 500, or never responds. */
export const startCountingPeer = async (behaviour: 'takes' | 'refuses' | 'hangs' = 'takes'): Promise<CountingPeer> => {
  let taken = 0
  let wanted: { events: number; tenth: number; done?: (times: { tenth: number; last: number }) => void } = {
    events: Number.POSITIVE_INFINITY,
    tenth: 0,
  }
  const note = (events: number): void => {
    taken += events
    if (wanted.tenth === 0 && taken >= wanted.events / 10) wanted.tenth = performance.now()
    if (taken >= wanted.events) wanted.done?.({ tenth: wanted.tenth, last: performance.now() })
  }
  const server = createServer((request, response) => {
    request.resume()
    if (behaviour === 'hangs') return
    request.on('end', () => {
      response.writeHead(behaviour === 'takes' ? 200 : 500).end()
      const { 'x-tributary-event-count': events, 'x-tributary-record-count': rows } = request.headers
      if (behaviour === 'takes') note(Number(events ?? rows ?? 1))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    events: () => taken,
    expect: (events) =>
      new Promise((resolve) => {
        taken = 0
        wanted = { events, tenth: 0, done: resolve }
      }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
