import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A webhook that counts the events or rows it took; it shares the product's processors, so it looks at a header only. */
export type CountingPeer = AsyncDisposable & {
  url: string
  events(): number
  /** Forgets what came, and hands back when the tenth part and the last of so many events have come, in ms of `performance.now`. */
  expect(events: number): Promise<{ tenth: number; last: number }>
}

/** Takes everything, refuses everything with 500, or never answers. */
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
