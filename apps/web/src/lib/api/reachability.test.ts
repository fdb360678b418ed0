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

/** What the server answers to the question whether it is there; nothing at all while it is away. */
let status: number | undefined
/** What it answers to everything else; undefined while the line is cut, 'silence' while it swallows what is sent. */
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

test('a break that is over before the server is asked is never called an outage', async () => {
  doubtServer()
  expect(state()).toBe('doubted')
  status = 200
  await passed(askPauses[0])
  expect(state()).toBe('there')
  expect(asked).toBe(1)
})

test('a server that does not answer is away, is asked with growing pauses, and is there again by itself', async () => {
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

test.each([502, 503, 504])('a proxy that answers %i in place of the server says that it is away', async (code) => {
  status = code
  expect(await askServer()).toBe(false)
  expect(state()).toBe('away')
  status = 404
  expect(await askServer()).toBe(true)
})

test('a call of its own that the server answers, even by a refusal, says that it is back', async () => {
  doubtServer()
  await passed(askPauses[0])
  answer = Response.json({ code: 400, reason: 'VALIDATION', message: 'no', metadata: {} }, { status: 400 })
  await expect(call(methods.config.get, {})).rejects.toThrow('no')
  expect(state()).toBe('there')
})

test('a fault in words of the server is none of the connection; one in words of a proxy is', async () => {
  answer = Response.json({ code: 503, reason: 'UNAVAILABLE', message: 'starting', metadata: {} }, { status: 503 })
  await expect(call(methods.config.get, {})).rejects.toThrow('starting')
  expect(state()).toBe('there')
  answer = new Response('<h1>Bad gateway</h1>', { status: 502 })
  await expect(call(methods.config.get, {})).rejects.toThrow('502')
  expect(state()).toBe('doubted')
})

test('what changes something says at once that nothing was saved when the server cannot be reached, and can be sent again', async () => {
  await expect(call(methods.users.logout, { body: {} })).rejects.toThrow(
    'Could not reach the server, so nothing was saved. Check your connection and try again.',
  )
  answer = Response.json({})
  await call(methods.users.logout, { body: {} })
  expect(sent.map(({ method }) => method)).toEqual(['POST', 'POST'])
})

test('what changes something is given up, and never sent later, when the server turns out to be away while it waits', async () => {
  answer = 'silence'
  const told = call(methods.users.logout, { body: {} }).catch((error: unknown) => String(error))
  status = 200
  await passed(patienceMs * 3)
  expect(sent[0]?.aborted()).toBe(false)
  status = undefined
  await passed(patienceMs)
  expect(await told).toContain('The server stopped responding')
  expect(sent).toHaveLength(1)
  expect(sent[0]?.aborted()).toBe(true)
})

test('that the browser has lost its network is doubt; that it has it back is asked for at once', async () => {
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
