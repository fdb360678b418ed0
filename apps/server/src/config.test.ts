import { readFileSync } from 'node:fs'
import { flagDefaults } from '@tributary/kernel'
import { expect, test } from 'vitest'
import { ConfigurationError, configurationTable, readConfig } from './config.ts'

test('docs/configuration.md holds exactly the table of the settings', () => {
  const page = readFileSync(new URL('../../../docs/configuration.md', import.meta.url), 'utf8')
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
  expect([...config.roles]).toEqual(['api', 'collect', 'realtime', 'pipeline', 'delivery', 'jobs'])
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
])('%o is a mistake that names its variable', (environment, name) => {
  expect(() => readConfig(environment)).toThrow(ConfigurationError)
  expect(() => readConfig(environment)).toThrow(name)
})

test('all mistakes are reported together', () => {
  expect(() => readConfig({ PORT: 'x', HOST: ' ', TRIBUTARY_TYPO: '1' })).toThrow(
    /PORT[\s\S]*HOST[\s\S]*TRIBUTARY_TYPO/,
  )
})

test.each([
  'postgres://user:password@db.example:5432/tributary?sslmode=verify-full',
  'postgresql://user@/tributary?host=/run/postgresql',
  'postgres:///tributary?host=%2Frun%2Fpostgresql',
])('DATABASE_URL takes %s', (value) => {
  expect(readConfig({ DATABASE_URL: value }).relational).toEqual({ kind: 'remote', url: value })
})

test('TRIBUTARY_FLAGS changes what it names; the last word counts, everything else stays as built', () => {
  expect(readConfig({}).flags).toEqual(flagDefaults)
  expect(readConfig({ TRIBUTARY_FLAGS: 'signals=off, audiences=on,signals=on,custom-domain=off' }).flags).toEqual({
    ...flagDefaults,
    audiences: true,
    'custom-domain': false,
  })
})
