import { expect, test } from 'vitest'
import { fillGuide, missingKey } from './guide.ts'

const step = {
  title: 'Load',
  text: 'Point it at {{origin}}',
  code: "load('{{ writeKey }}', '{{host}}', '{{origin}}/v1')",
  language: 'js',
}

test('a set-up guide is filled with origin and key, in texts and code', () => {
  expect(fillGuide([step], { origin: 'http://127.0.0.1:3000', writeKey: 'k$&1' })).toEqual([
    {
      ...step,
      text: 'Point it at http://127.0.0.1:3000',
      code: "load('k$&1', '127.0.0.1:3000', 'http://127.0.0.1:3000/v1')",
    },
  ])
})

test.each([
  ['http://127.0.0.1:3000', 'true'],
  ['https://events.example.com', 'false'],
])('a set-up guide lets libraries accept http only if the origin uses http: %s', (origin, wanted) => {
  const asked = { ...step, code: 'allowInsecureProxy: {{insecure}}' }
  expect(fillGuide([asked], { origin, writeKey: 'k' })[0]?.code).toBe(`allowInsecureProxy: ${wanted}`)
})

test('a set-up guide without a key shows a placeholder', () => {
  expect(fillGuide([step], { origin: 'https://x', writeKey: undefined })[0]?.code).toContain(missingKey)
})
