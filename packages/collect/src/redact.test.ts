import type { IncomingMessage } from 'node:http'
import { expect, test } from 'vitest'
import { sampleOf } from './redact.ts'

const request = { method: 'POST', url: '/v1/track', headers: {} } as IncomingMessage

test.each(['"\\', '"a" ', '"a":"', '{"password":"x",', '\\"'])(
  'a sample of a rejected request reads only 4,800 bytes of its body: %s',
  (text) => {
    const body = Buffer.from(text.repeat(1_000_000))
    expect(sampleOf(request, body, undefined)).toBe(sampleOf(request, body.subarray(0, 4800), undefined))
  },
)
