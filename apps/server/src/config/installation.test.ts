import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { readConfig } from './config.ts'
import { installationPartsOf } from './installation.ts'
import { settings } from './settings.ts'

const partsOf = (environment: Record<string, string>) =>
  new Map(installationPartsOf(readConfig(environment)).map((part) => [part.key, part]))

test('a default start lists everything that is not set, with the setting for each', () => {
  const parts = partsOf({})
  const missing = [...parts.values()].filter(({ state }) => state === 'missing').map(({ key }) => key)
  expect(missing).toEqual([
    'public_url',
    'email',
    'trusted_proxies',
    'custom_domains',
    'private_networks',
    'third_party_sign_in',
    'terms',
    'privacy',
    'payment',
    'contact_sales',
    'support',
    'support_chat',
    'error_reports',
    'usage',
  ])
  for (const { settings: names, detail } of parts.values()) {
    expect(detail).toMatch(/^[A-Z].*\.$/)
    expect(names.filter((name) => !Object.hasOwn(settings, name))).toEqual([])
  }
})

test.each([
  ['email', { SMTP_URL: 'smtp://ada:s3cret@mail.example:587' }, /mail\.example:587/],
  ['third_party_sign_in', { OIDC_CLIENT_ID: 'id', OIDC_CLIENT_SECRET: 's3cret' }, /Google/],
  ['payment', { TRIBUTARY_PAYMENT: 'sandbox', TRIBUTARY_ENVIRONMENT: 'development' }, /no money/],
  ['terms', { TRIBUTARY_TERMS_URL: 'https://example.com/terms' }, /example\.com\/terms/],
  ['support', { TRIBUTARY_SUPPORT_EMAIL: 'help@example.com' }, /help@example\.com/],
  ['relational', { DATABASE_URL: 'postgres://ada:s3cret@db.example/x' }, /external/],
  ['secret_key', { TRIBUTARY_SECRET_KEY: 's3cret-s3cret-s3cret-s3cret-s3cret' }, /environment/],
])(
  'with its settings, the part %s is shown as set, and no secret is shown',
  (key, environment: Record<string, string>, detail) => {
    const parts = partsOf(environment)
    expect(parts.get(key)).toMatchObject({ state: 'set', detail: expect.stringMatching(detail) })
    expect(JSON.stringify([...parts])).not.toContain('s3cret')
  },
)

test('every part links to an existing section of the documentation', () => {
  for (const { docs } of partsOf({ TRIBUTARY_PAYMENT: 'sandbox', TRIBUTARY_ENVIRONMENT: 'development' }).values()) {
    const [page = '', heading] = docs.split('#')
    const text = readFileSync(new URL(`../../../../docs/${page}.md`, import.meta.url), 'utf8')
    const headings = [...text.matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
      title
        .toLowerCase()
        .replaceAll(/[^a-z0-9 -]/g, '')
        .replaceAll(' ', '-'),
    )
    if (heading !== undefined) expect(headings).toContain(heading)
  }
})
