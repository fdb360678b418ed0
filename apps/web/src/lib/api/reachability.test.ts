// @vitest-environment happy-dom
import { methods } from '@tributary/contract'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { call } from './client.ts'
import {
  askPauses,
  askServer,
  doubtServer,
  followNetwork,
  patienceMs,
  serverAnswered,
  useReachability,
  whenBack,
} from './reachability.ts'

/** The status with which the server responds to a check; undefined while it is unavailable. */
let status: number | undefined
/**
 * The response of the server to all other calls: undefined while the connection is cut, 'silence' while no response
 * comes.
 */
let answer: Response | 'silence' | undefined
let asked: number
let sent: { method: string | undefined; aborted: () => boolean }[]

const cut = () => Promise.reject(new TypeError('Failed to fetch'))

beforeEach(() => {
  vi.useFakeTimers()
  status = undefined
  answer = undefined
  asked = 0
  sent = []
  vi.stubGlobal('fetch', (url: string, init: RequestInit) => {
    if (url === '/health/live') {
      asked++
      return status === undefined ? cut() : Promise.resolve(new Response('{}', { status }))
    }
    sent.push({ method: init.method, aborted: () => init.signal?.aborted === true })
    if (answer === undefined) return cut()
    if (answer !== 'silence') return Promise.resolve(answer)
    return new Promise((_, reject) => {
      init.signal?.addEventListener('abort', () => reject(new DOMException('aborted', 'AbortError')))
    })
  })
  serverAnswered()
})
afterEach(() => {
  serverAnswered()
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

const state = () => useReachability.getState().state
const passed = (ms: number) => vi.advanceTimersByTimeAsync(ms)

test('a failure that is over before the check is not an outage', async () => {
  doubtServer()
  expect(state()).toBe('doubted')
  status = 200
  await passed(askPauses[0])
  expect(state()).toBe('there')
  expect(asked).toBe(1)
})

test('a server that does not respond is unavailable, is checked with growing pauses, and is found again automatically', async () => {
  const back: boolean[] = []
  const stop = whenBack((wasAway) => void back.push(wasAway))
  doubtServer()
  doubtServer()
  await passed(askPauses[0])
  expect([state(), asked]).toEqual(['away', 1])
  await passed(askPauses[1] + askPauses[2] + askPauses[3])
  expect([state(), asked]).toEqual(['away', 4])
  await passed(askPauses[4] * 2)
  expect(asked).toBe(6)
  status = 200
  await passed(askPauses[4])
  expect(state()).toBe('there')
  expect(back).toEqual([true])
  const before = asked
  await passed(60_000)
  expect(asked).toBe(before)
  stop()
})

test.each([502, 503, 504])('if a proxy responds %i in place of the server, the server is unavailable', async (code) => {
  status = code
  expect(await askServer()).toBe(false)
  expect(state()).toBe('away')
  status = 404
  expect(await askServer()).toBe(true)
})

test('a call to which the server responds, even with a rejection, shows that the server is available again', async () => {
  doubtServer()
  await passed(askPauses[0])
  answer = Response.json({ code: 400, reason: 'VALIDATION', message: 'no', metadata: {} }, { status: 400 })
  await expect(call(methods.config.get, {})).rejects.toThrow('no')
  expect(state()).toBe('there')
})

test("an error with the server's message is not an outage, and one with a proxy's message is", async () => {
  answer = Response.json({ code: 503, reason: 'UNAVAILABLE', message: 'starting', metadata: {} }, { status: 503 })
  await expect(call(methods.config.get, {})).rejects.toThrow('starting')
  expect(state()).toBe('there')
  answer = new Response('<h1>Bad gateway</h1>', { status: 502 })
  await expect(call(methods.config.get, {})).rejects.toThrow('502')
  expect(state()).toBe('doubted')
})

test('a write to an unreachable server immediately reports that nothing was saved, and can be sent again', async () => {
  await expect(call(methods.users.logout, { body: {} })).rejects.toThrow(
    'Could not reach the server, so nothing was saved. Check your connection and try again.',
  )
  answer = Response.json({})
  await call(methods.users.logout, { body: {} })
  expect(sent.map(({ method }) => method)).toEqual(['POST', 'POST'])
})

test('a write is canceled, and never sent later, when the server is found unavailable while it waits', async () => {
  answer = 'silence'
  const failure = call(methods.users.logout, { body: {} }).catch((error: unknown) => String(error))
  status = 200
  await passed(patienceMs * 3)
  expect(sent[0]?.aborted()).toBe(false)
  status = undefined
  await passed(patienceMs)
  expect(await failure).toContain('The server stopped responding')
  expect(sent).toHaveLength(1)
  expect(sent[0]?.aborted()).toBe(true)
})

test('when the browser loses its network, a check starts after a pause; when the network returns, immediately', async () => {
  const target = new EventTarget()
  const stop = followNetwork(target)
  target.dispatchEvent(new Event('offline'))
  await passed(askPauses[0])
  expect(state()).toBe('away')
  status = 200
  target.dispatchEvent(new Event('online'))
  await passed(0)
  expect(state()).toBe('there')
  stop()
})
