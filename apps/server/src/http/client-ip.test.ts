import type { IncomingMessage } from 'node:http'
import { expect, test } from 'vitest'
import { createClientIp, createProxyWatch } from './client-ip.ts'

const request = (peer: string, forwarded?: string) =>
  ({
    socket: { remoteAddress: peer },
    headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
  }) as unknown as IncomingMessage

/** Returns the warnings that these requests cause. */
const warned = (trusted: readonly string[], requests: readonly IncomingMessage[]): unknown[] => {
  const warnings: unknown[] = []
  const look = createProxyWatch(trusted, { warn: (...line: unknown[]) => void warnings.push(line) })
  for (const each of requests) look(each)
  return warnings
}

test('without trusted proxies, the first proxied request causes a warning, and no further one', () => {
  const proxied = [request('198.51.100.1'), request('10.0.0.9', '203.0.113.7'), request('10.0.0.8', '203.0.113.8')]
  expect(warned([], proxied)).toEqual([
    [{ peer: '10.0.0.9' }, expect.stringContaining('set TRIBUTARY_TRUSTED_PROXIES to its network')],
  ])
  expect(warned([], [request('198.51.100.1')])).toEqual([])
})

test('with trusted proxies configured, no request causes a warning', () => {
  expect(warned(['10.0.0.0/8'], [request('10.0.0.9', '203.0.113.7'), request('192.0.2.1', '203.0.113.7')])).toEqual([])
})

test("the client's address comes from a trusted proxy; otherwise it is the peer's address", () => {
  const of = createClientIp(['10.0.0.0/8'])
  expect(of(request('10.0.0.9', '203.0.113.7'))).toBe('203.0.113.7')
  expect(of(request('192.0.2.1', '203.0.113.7'))).toBe('192.0.2.1')
})
