import { expect, test } from 'vitest'
import { deviceName } from './device.ts'

const mozilla = (rest: string): string => `Mozilla/5.0 ${rest}`

test.each([
  [mozilla('(Windows NT 10.0; Win64; x64; rv:128.0) Gecko/20100101 Firefox/128.0'), 'Firefox on Windows'],
  [
    mozilla(
      '(Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Safari/605.1.15',
    ),
    'Safari on macOS',
  ],
  [
    mozilla('(X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36'),
    'Chrome on Linux',
  ],
  [
    mozilla('(Windows NT 10.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36 Edg/126.0.0.0'),
    'Edge on Windows',
  ],
  [
    mozilla('(iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 Version/17.5 Mobile/15E148 Safari/604.1'),
    'Safari on iPhone',
  ],
  [mozilla('(Linux; Android 14; Pixel 8) AppleWebKit/537.36 Chrome/126.0 Mobile Safari/537.36'), 'Chrome on Android'],
  ['curl/8.5.0', 'curl'],
  ['node', 'node'],
  [mozilla(''), 'Unknown device'],
  ['', 'Unknown device'],
])('the user agent %j is shown as %s', (userAgent, name) => {
  expect(deviceName(userAgent)).toBe(name)
})
