import { readFileSync } from 'node:fs'
import { clientConfig } from '@tributary/contract'
import { flagDefaults } from '@tributary/kernel'
import { expect, test } from 'vitest'
import { contentPolicy, contentPolicySources } from '../http/content-policy.ts'
import { clientConfigOf } from './client-config.ts'
import { ConfigurationError, isCollector, readConfig } from './config.ts'
import { configurationTable } from './settings.ts'

test('docs/configuration.md has exactly the table of the settings', () => {
  const page = readFileSync(new URL('../../../../docs/configuration.md', import.meta.url), 'utf8')
  expect(page).toContain(configurationTable())
})

test('an empty environment gives the embedded engines on the loopback address', () => {
  const config = readConfig({})
  expect(config).toMatchObject({
    port: 3000,
    host: '127.0.0.1',
    relational: { kind: 'embedded' },
    eventStore: { kind: 'embedded' },
  })
  expect([...config.roles]).toEqual(['api', 'collect', 'realtime', 'pipeline', 'delivery', 'profiles', 'jobs'])
})

test('with KAFKA_BROKERS set, the log is on Kafka, with the configured brokers, sign-in and certificates', () => {
  expect(readConfig({}).log).toEqual({ kind: 'embedded' })
  const { log } = readConfig({
    KAFKA_BROKERS: 'kafka-1:9092, [::1]:9093',
    KAFKA_TLS: 'on',
    KAFKA_TLS_CA_FILE: '/ca.pem',
    KAFKA_SASL_MECHANISM: 'SCRAM-SHA-512',
    KAFKA_SASL_USERNAME: 'u',
    KAFKA_SASL_PASSWORD: 'p',
  })
  expect(log).toEqual({
    kind: 'kafka',
    brokers: [
      { host: 'kafka-1', port: 9092 },
      { host: '::1', port: 9093 },
    ],
    topicPrefix: 'tributary',
    tls: { caFile: '/ca.pem', certFile: undefined, keyFile: undefined },
    sasl: { mechanism: 'SCRAM-SHA-512', username: 'u', password: 'p' },
  })
})

test('with a bucket configured, pictures are in the bucket, with path-style URLs if chosen', () => {
  expect(readConfig({}).blobs).toEqual({ kind: 'embedded' })
  const keys = { BLOBS_S3_BUCKET: 'pictures', BLOBS_S3_ACCESS_KEY_ID: 'id', BLOBS_S3_SECRET_ACCESS_KEY: 'secret' }
  const access = { bucket: 'pictures', access_key_id: 'id', secret_access_key: 'secret' }
  expect(readConfig(keys).blobs).toEqual({
    kind: 's3',
    prefix: '',
    access: { ...access, region: 'us-east-1', endpoint: undefined, path_style: false },
  })
  const more = { BLOBS_S3_REGION: 'auto', BLOBS_S3_ENDPOINT: 'http://10.0.0.1:9000', BLOBS_S3_PATH_STYLE: 'on' }
  expect(readConfig({ ...keys, ...more, BLOBS_S3_PREFIX: 'a/b' }).blobs).toEqual({
    kind: 's3',
    prefix: 'a/b',
    access: { ...access, region: 'auto', endpoint: 'http://10.0.0.1:9000', path_style: true },
  })
})

const secret = 'x'.repeat(32)
const ofCollector = { KAFKA_BROKERS: 'k:9092', DATABASE_URL: 'postgres://u@h/d', TRIBUTARY_SECRET_KEY: secret }

test('a process that only collects needs Kafka, PostgreSQL, and the secret key, and reports the missing one', () => {
  expect(isCollector(readConfig({ TRIBUTARY_ROLES: 'collect', ...ofCollector }))).toBe(true)
  for (const name of Object.keys(ofCollector))
    expect(() => readConfig({ TRIBUTARY_ROLES: 'collect', ...ofCollector, [name]: '' })).toThrow(
      `a process that only collects requires ${name}, the same`,
    )
  expect(() => readConfig({ TRIBUTARY_ROLES: 'collect,collect' })).toThrow(
    'requires KAFKA_BROKERS, DATABASE_URL, TRIBUTARY_SECRET_KEY',
  )
  expect(
    ['all', 'api,collect', 'api', 'collect,all'].map((roles) => isCollector(readConfig({ TRIBUTARY_ROLES: roles }))),
  ).toEqual([false, false, false, false])
})

test('an empty value counts as not set', () => {
  expect(readConfig({ PORT: '', DATABASE_URL: '' })).toMatchObject({ port: 3000, relational: { kind: 'embedded' } })
})

test.each([
  [{ PORT: '70000' }, 'PORT'],
  [{ PORT: '3000x' }, 'PORT'],
  [{ TRIBUTARY_ROLES: 'api,everything' }, 'TRIBUTARY_ROLES'],
  [{ DATABASE_URL: 'mysql://x' }, 'DATABASE_URL'],
  [{ DATABASE_URL: 'postgres://user@/database' }, 'DATABASE_URL'],
  [{ TRIBUTARY_SECRET_KEY: 'short' }, 'TRIBUTARY_SECRET_KEY'],
  [{ TRIBUTARY_TRUSTED_PROXIES: '10.0.0.1' }, 'TRIBUTARY_TRUSTED_PROXIES'],
  [{ TRIBUTARY_FLAGS: 'signals' }, 'TRIBUTARY_FLAGS'],
  [{ TRIBUTARY_FLAGS: 'sign-up-enabled=off' }, 'TRIBUTARY_FLAGS'],
  [{ TRIBUTARY_DATADIR: '/x' }, 'TRIBUTARY_DATADIR'],
  [{ REDIS_URL: 'redis://x' }, 'REDIS_URL'],
  [{ KAFKA_URL: 'kafka://x:9092' }, 'KAFKA_URL: this setting does not exist. Set KAFKA_BROKERS'],
  [{ KAFKA_BROKERS: 'kafka-1' }, 'KAFKA_BROKERS: must be addresses such as kafka-1:9092,kafka-2:9092'],
  [{ KAFKA_BROKERS: 'a:9092,b:70000' }, 'KAFKA_BROKERS'],
  [{ KAFKA_TLS: 'on' }, 'KAFKA_TLS: requires KAFKA_BROKERS'],
  [{ KAFKA_BROKERS: 'a:9092', KAFKA_TLS_CA_FILE: 'ca.pem' }, 'KAFKA_TLS_CA_FILE: requires KAFKA_TLS=on'],
  [{ KAFKA_BROKERS: 'a:9092', KAFKA_TLS: 'on', KAFKA_TLS_KEY_FILE: 'key.pem' }, 'KAFKA_TLS_CERT_FILE'],
  [{ KAFKA_BROKERS: 'a:9092', KAFKA_SASL_MECHANISM: 'GSSAPI' }, 'KAFKA_SASL_MECHANISM'],
  [{ KAFKA_BROKERS: 'a:9092', KAFKA_SASL_MECHANISM: 'PLAIN' }, 'KAFKA_SASL_USERNAME: is required'],
  [{ KAFKA_BROKERS: 'a:9092', KAFKA_SASL_PASSWORD: 'p' }, 'KAFKA_SASL_PASSWORD: requires KAFKA_SASL_MECHANISM'],
  [{ KAFKA_BROKERS: 'a:9092', KAFKA_SASL_MECHANISM: 'OAUTHBEARER' }, 'KAFKA_SASL_TOKEN_URL: is required'],
  [{ KAFKA_BROKERS: 'a:9092', KAFKA_SASL_SCOPE: 's' }, 'KAFKA_SASL_SCOPE: requires KAFKA_SASL_MECHANISM=OAUTHBEARER'],
  [{ S3_URL: 's3://x' }, 'S3_URL: this setting does not exist. Set BLOBS_S3_BUCKET'],
  [{ BLOBS_S3_BUCKET: 'pictures' }, 'BLOBS_S3_SECRET_ACCESS_KEY: is required'],
  [{ BLOBS_S3_BUCKET: 'pictures/a' }, 'BLOBS_S3_BUCKET: must be the name of a bucket'],
  [{ BLOBS_S3_SECRET_ACCESS_KEY: 's' }, 'BLOBS_S3_SECRET_ACCESS_KEY: requires BLOBS_S3_BUCKET'],
  [{ BLOBS_S3_KEY: 's' }, 'BLOBS_S3_KEY: this setting does not exist'],
  [{ BLOBS_S3_PREFIX: '../a' }, 'BLOBS_S3_PREFIX: must be names'],
  [{ BLOBS_S3_PREFIX: '/a' }, 'BLOBS_S3_PREFIX: must be names'],
  [{ BLOBS_S3_PREFIX: 'a/' }, 'BLOBS_S3_PREFIX: must be names'],
  [{ BLOBS_S3_PREFIX: 'a/./b' }, 'BLOBS_S3_PREFIX: must be names'],
  [{ BLOBS_S3_ENDPOINT: 'http://x/?a' }, 'BLOBS_S3_ENDPOINT: must be a URL without a query'],
  [{ OIDC_CLIENT_ID: 'c', OIDC_ISSUER: 'http://login.example.com' }, 'OIDC_ISSUER'],
  [{ OIDC_CLIENT_ID: 'c', OIDC_ISSUER: 'login.example.com' }, 'OIDC_ISSUER'],
  [{ OIDC_ISSUER: 'https://login.example.com' }, 'OIDC_ISSUER: requires OIDC_CLIENT_ID'],
  [{ OIDC_CLIENT_SECRET: 's' }, 'OIDC_CLIENT_SECRET'],
  [{ TRIBUTARY_SIGN_UP: 'no' }, 'TRIBUTARY_SIGN_UP'],
  [
    { TRIBUTARY_RETENTION_LOG_HOURS: '649' },
    'TRIBUTARY_RETENTION_LOG_HOURS: must be at most 648, so that deleted users are gone from the log within 30 days',
  ],
  [
    { TRIBUTARY_DELIVERY_RETRY_HOURS: '625' },
    'TRIBUTARY_DELIVERY_RETRY_HOURS: must be at most 624, so that deleted users are gone from the log within 30 days',
  ],
])('the invalid setting %o is an error that names its variable', (environment, name) => {
  expect(() => readConfig(environment)).toThrow(ConfigurationError)
  expect(() => readConfig(environment)).toThrow(name)
})

test('all errors are reported together', () => {
  expect(() => readConfig({ PORT: 'x', HOST: ' ', TRIBUTARY_TYPO: '1' })).toThrow(
    /PORT[\s\S]*HOST[\s\S]*TRIBUTARY_TYPO/,
  )
})

test.each([
  'postgres://user:password@db.example:5432/tributary?sslmode=verify-full',
  'postgresql://user@/tributary?host=/run/postgresql',
  'postgres:///tributary?host=%2Frun%2Fpostgresql',
])('DATABASE_URL accepts %s', (value) => {
  expect(readConfig({ DATABASE_URL: value }).relational).toEqual({ kind: 'remote', url: value })
})

test('TRIBUTARY_FLAGS changes the flags it names; the last value counts, and other flags keep their default', () => {
  expect(readConfig({}).flags).toEqual(flagDefaults)
  expect(readConfig({ TRIBUTARY_FLAGS: 'signals=off, audiences=off,signals=on,custom-domain=off' }).flags).toEqual({
    ...flagDefaults,
    signals: true,
    audiences: false,
    'custom-domain': false,
  })
})

test('third-party sign-in is off without a client ID, uses Google if only the client ID is set, and otherwise the issuer with the given URL', () => {
  expect(readConfig({}).openId).toBeUndefined()
  expect(readConfig({ OIDC_CLIENT_ID: 'c', OIDC_CLIENT_SECRET: 's' }).openId).toEqual({
    issuer: 'https://accounts.google.com',
    provider: 'google',
    clientId: 'c',
    clientSecret: 's',
    displayName: 'Google',
  })
  for (const issuer of ['https://login.example.com/realms/a', 'http://127.0.0.1:4000', 'http://[::1]:4000'])
    expect(readConfig({ OIDC_CLIENT_ID: 'c', OIDC_ISSUER: issuer }).openId).toMatchObject({
      issuer,
      provider: 'openid',
      displayName: new URL(issuer).host,
    })
})

test('the web application receives the configuration without secrets', () => {
  const received = clientConfigOf(
    readConfig({
      TRIBUTARY_SIGN_UP: 'off',
      OIDC_CLIENT_ID: 'the-client',
      OIDC_CLIENT_SECRET: 'the-secret',
      SENTRY_DSN: 'https://key@o1.ingest.sentry.io/2',
      TRIBUTARY_SECRET_KEY: 'x'.repeat(32),
      TRIBUTARY_PRICING_URL: 'https://example.com/pricing',
    }),
  )
  expect(clientConfig.parse(received)).toMatchObject({
    sign_up_enabled: false,
    oauth: { provider: 'google', display_name: 'Google' },
    links: { pricing: 'https://example.com/pricing', terms: '' },
    sentry_dsn: 'https://key@o1.ingest.sentry.io/2',
    environment: 'production',
    messaging_app_id: '',
    stripe_publishable_key: '',
  })
  expect(JSON.stringify(received)).not.toMatch(/the-secret|the-client|xxxx/)
  expect(clientConfigOf(readConfig({})).oauth).toBeNull()
})

test("Stripe needs both keys; the web application gets the publishable key, and the content policy allows Stripe's origins", () => {
  const keys = {
    TRIBUTARY_STRIPE_SECRET_KEY: 'sk_test_secret1',
    TRIBUTARY_STRIPE_PUBLISHABLE_KEY: 'pk_test_public1',
    TRIBUTARY_STRIPE_WEBHOOK_SECRET: 'whsec_signing1',
  }
  expect(() => readConfig({ TRIBUTARY_PAYMENT: 'stripe' })).toThrow(/TRIBUTARY_STRIPE_SECRET_KEY[^]*PUBLISHABLE_KEY/)
  const config = readConfig({ TRIBUTARY_PAYMENT: 'stripe', ...keys })
  expect(config.billing).toMatchObject({
    payment: 'stripe',
    limits: true,
    stripe: { apiUrl: 'https://api.stripe.com' },
  })
  const received = clientConfigOf(config)
  expect(received).toMatchObject({ payment: 'stripe', stripe_publishable_key: 'pk_test_public1' })
  expect(JSON.stringify(received)).not.toMatch(/secret1|signing1/)
  expect(contentPolicySources(config)['script-src']).toContain('https://js.stripe.com')
  // The keys alone do not enable Stripe or allow its origins.
  const none = readConfig(keys)
  expect(none.billing.stripe).toBeUndefined()
  expect(JSON.stringify(contentPolicySources(none))).not.toContain('stripe')
})

test('the sandbox is refused in production unless allowed, and plans have limits if they can be bought', () => {
  expect(readConfig({}).billing).toEqual({
    payment: 'none',
    plansFile: undefined,
    limits: false,
    unpaidDays: 14,
    graceHours: 72,
    freeOrganizations: 5,
    stripe: undefined,
  })
  expect(readConfig({ TRIBUTARY_PLAN_LIMITS: 'on' }).billing.limits).toBe(true)
  expect(() => readConfig({ TRIBUTARY_PAYMENT: 'sandbox' })).toThrow('TRIBUTARY_PAYMENT')
  const allowed = [
    { TRIBUTARY_PAYMENT: 'sandbox', TRIBUTARY_ENVIRONMENT: 'development' },
    { TRIBUTARY_PAYMENT: 'sandbox-in-production' },
  ]
  for (const environment of allowed)
    expect(readConfig(environment).billing).toMatchObject({ payment: 'sandbox', limits: true })
  expect(readConfig({ ...allowed[1], TRIBUTARY_PLAN_LIMITS: 'off' }).billing.limits).toBe(false)
})

test('an installation that sets no links shows none, and links to its own documentation', () => {
  expect(clientConfigOf(readConfig({})).links).toEqual({
    terms: '',
    privacy: '',
    pricing: '',
    contact_sales: '',
    documentation: '/docs',
    support_email: '',
  })
  const own = 'https://docs.example.com'
  expect(clientConfigOf(readConfig({ TRIBUTARY_DOCUMENTATION_URL: own })).links.documentation).toBe(own)
})

test('areas of the product are switched on by default', () => {
  expect(readConfig({}).flags).toMatchObject({ syncs: true, signals: true, audiences: true })
})

test('the content policy allows the host for error reports and nothing else', () => {
  const bare = contentPolicy([], contentPolicySources(readConfig({})))
  const policy = contentPolicy(
    [],
    contentPolicySources(readConfig({ SENTRY_DSN: 'https://key@o1.ingest.sentry.io/2' })),
  )
  expect(bare).not.toContain('https:')
  expect(policy.replace(' https://o1.ingest.sentry.io', '')).toBe(bare)
  expect(policy).toContain("connect-src 'self' https://o1.ingest.sentry.io;")
  const chat = contentPolicy([], contentPolicySources(readConfig({ TRIBUTARY_MESSAGING_APP_ID: 'abc' })))
  expect(chat).toContain("script-src 'self' https://app.intercom.io")
  expect(chat).toContain("frame-src 'self' https://intercom-sheets.com")
})

test("a relative data folder is resolved against the user's working directory; the default one against the checkout", () => {
  const given = (environment: Record<string, string>) => readConfig(environment).dataDir
  expect(given({ TRIBUTARY_DATA_DIR: './x', INIT_CWD: '/home/ada' })).toBe('/home/ada/x')
  expect(given({ TRIBUTARY_DATA_DIR: '/srv/x', INIT_CWD: '/home/ada' })).toBe('/srv/x')
  expect(given({ TRIBUTARY_DATA_DIR: './x' })).toBe(`${process.cwd()}/x`)
  expect(given({ INIT_CWD: '/home/ada' })).toBe(`${process.cwd()}/data`)
})
