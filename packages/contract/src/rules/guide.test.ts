import { expect, test } from 'vitest'
import { fillGuide, missingKey } from './guide.ts'

const step = {
  title: 'Load',
  text: 'Point it at {{origin}}',
  code: "load('{{ writeKey }}', '{{host}}', '{{origin}}/v1')",
  language: 'js',
}

test('origin and key are filled into texts and code', () => {
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
])('libraries are set to accept http only where the origin is http: %s', (origin, wanted) => {
  const asked = { ...step, code: 'allowInsecureProxy: {{insecure}}' }
  expect(fillGuide([asked], { origin, writeKey: 'k' })[0]?.code).toBe(`allowInsecureProxy: ${wanted}`)
})

test('without a key, a placeholder is shown in its place', () => {
  expect(fillGuide([step], { origin: 'https://x', writeKey: undefined })[0]?.code).toContain(missingKey)
})
