import { expect, it } from 'vitest'
import type { Exchange } from '../definition/definition.ts'
import { RetryableError } from '../errors.ts'
import type { HttpAnswer, OutgoingRequest } from './request-client.ts'
import { isWebPage, outcomeOfAnswer, resultOfCall, sendRequest, testOf } from './send-request.ts'

const { signal } = new AbortController()
const answering = (answer: Partial<HttpAnswer>) => ({
  signal,
  request: async (): Promise<HttpAnswer> => ({ status: 200, headers: {}, body: '', latencyMs: 5, ...answer }),
})
const request: OutgoingRequest = {
  method: 'POST',
  url: 'https://api.example/hooks/s3cret-path?key=s3cret-query',
  headers: { authorization: 'Basic s3cret-header', accept: 'text/plain' },
  body: `${'x'.repeat(3990)} s3cret-path s3cret-path`,
}
const hidden = { headers: ['authorization'], texts: ['s3cret-path'] }

it('the request and response of a failed delivery are stored without secrets, also at the cut', async () => {
  const call = await sendRequest(answering({ status: 400, body: 'no s3cret-path' }), request, hidden)
  const { outcomes, ...kept } = resultOfCall(call, { kind: 'rejected', reason: 'HTTP 400' })
  expect(JSON.stringify(kept)).not.toMatch(/s3c/)
  expect(kept).toMatchObject({ httpStatus: 400, latencyMs: 5, response: expect.stringContaining('no [redacted]') })
  expect(kept.request).toContain('POST https://api.example/hooks/[redacted]?key=[redacted]\nauthorization: [redacted]')
  expect(outcomes).toEqual({ kind: 'rejected', reason: 'HTTP 400' })
})

it('nothing is stored if all events were delivered', async () => {
  const call = await sendRequest(answering({}), request, hidden)
  const delivered = { kind: 'delivered' as const }
  expect(resultOfCall(call, [delivered, delivered])).toEqual({
    outcomes: [delivered, delivered],
    httpStatus: 200,
    latencyMs: 5,
  })
})

it('an observer receives every request with a response, without secrets', async () => {
  const heard: Exchange[] = []
  await sendRequest({ ...answering({ body: 'ok' }), onExchange: (exchange) => heard.push(exchange) }, request, hidden)
  expect(heard).toMatchObject([{ httpStatus: 200, latencyMs: 5, response: expect.stringContaining('ok') }])
  expect(JSON.stringify(heard)).not.toMatch(/s3c/)
})

it('a request without a response fails with the sent request', async () => {
  const failing = { signal, request: () => Promise.reject(new RetryableError('Connection refused')) }
  const failure = await sendRequest(failing, request, hidden).catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(RetryableError)
  expect(failure).toMatchObject({ exchange: { httpStatus: 0, response: 'Connection refused' } })
  expect(JSON.stringify(failure)).not.toMatch(/s3c/)
  expect(await testOf(() => sendRequest(failing, request, hidden).then(() => ({ ok: true, message: '' })))).toEqual({
    ok: false,
    message: 'Could not connect: Connection refused',
  })
})

it.each([
  [204, {}, { kind: 'delivered' }],
  [429, { 'retry-after': '3' }, { kind: 'retry', reason: 'HTTP 429', retryAfterMs: 3000 }],
  [502, {}, { kind: 'retry', reason: 'HTTP 502' }],
  [302, {}, { kind: 'rejected', reason: 'HTTP 302' }],
])('a response with status %i and %j has the expected outcome', (status, headers, wanted) => {
  expect(outcomeOfAnswer({ status, headers }, 0)).toEqual(wanted)
})

it.each([
  ['\n<!DOCTYPE html><title>Log in', true],
  ['<html lang="en">', true],
  ['{"success":true}', false],
  ['ok', false],
  ['', false],
])('a web page is distinguished from an API response: %j', (body, wanted) => {
  expect(isWebPage({ body })).toBe(wanted)
})
