import {
  createEgressPolicy,
  createLifetime,
  createRequestClient,
  type DeliverContext,
  type OutgoingRow,
  validateSettings,
} from '@tributary/connector-kit'
import { silentLogger } from '@tributary/kernel'
import { createPostgresPeer, type PostgresPeer } from '@tributary/test-kit'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { tableObject } from '../../wire/access/table-object.ts'
import { postgresql } from './definition.ts'

let peer: PostgresPeer
let context: DeliverContext
const stack = new AsyncDisposableStack()
beforeAll(async () => {
  peer = stack.use(await createPostgresPeer(inject('postgresUrl')))
  await peer.query(`create extension if not exists citext; create schema forms authorization ${peer.access.user}`)
  await peer.query(`create collation forms.loose (provider = icu, locale = 'und-u-ks-level1', deterministic = false)`)
  const checked = validateSettings(postgresql, { ...peer.access, tls: 'off', schema: 'forms' })
  if (!checked.ok) throw new Error(JSON.stringify(checked.errors))
  const client = createRequestClient({ egress: createEgressPolicy({ allow: ['127.0.0.0/8'] }), logger: silentLogger })
  stack.defer(() => client.close())
  const lifetime = createLifetime()
  stack.defer(() => lifetime.end())
  const { signal } = new AbortController()
  context = { ...client, settings: checked.settings, lifetime, clock: Date.now, logger: silentLogger, signal }
})
afterAll(() => stack.disposeAsync())

let tables = 0
let object = ''
const nameTable = (): string => {
  const table = `keys${++tables}`
  object = tableObject({ table, key: 'k' })
  return table
}
const write = async (key: string): Promise<string> => {
  const row: OutgoingRow = { recordId: 'r.1', operation: 'insert', object, key, json: JSON.stringify({ k: key }) }
  const { outcomes } = (await postgresql.deliverRows?.([row], context)) ?? {}
  const [outcome] = Array.isArray(outcomes) ? outcomes : []
  return outcome === undefined ? '' : `${outcome.kind} ${'reason' in outcome ? outcome.reason : ''}`
}

/** Returns the forms of keys, with a call as in a run. */
const formsOf = async (keys: readonly string[]): Promise<string[]> => {
  const plain = new RegExp((await postgresql.keyForms?.plainKeys(context, object)) ?? '', 'u')
  const asked = await postgresql.keyForms?.formsOf(
    context,
    object,
    keys.map((key) => JSON.stringify(key)),
  )
  return keys.map((key, at) => (plain.test(key) ? key : (asked?.[at] ?? '')))
}

test.each([
  ['text', 'ada', 'Ada', 'ada ', 'äda'],
  ['citext', 'ada', 'Ada', 'ada ', 'ädA', 'ÄDA'],
  ['text collate forms.loose', 'jose', 'José', 'JOSE', 'josef'],
  ['int', '1', '01', '+1', '1.0', '-1', 'x'],
  ['bigint', '9007199254740993', '09007199254740993', '9007199254740992'],
  [
    'uuid',
    '550e8400-e29b-41d4-a716-446655440000',
    '550E8400-E29B-41D4-A716-446655440000',
    '{550e8400e29b41d4a716446655440000}',
  ],
  ['char(6)', 'ada', 'ada  ', 'Ada', 'much too long'],
  ['varchar(3)', 'ada', 'ada  ', 'ad ', 'ad', 'adam'],
  ['numeric', '1.1', '1.10', '01.1', '1.11', 'NaN'],
  ['numeric(10, 2)', '1.1', '1.101', '1.11'],
  ['double precision', '0.5', '.50', '5e-1', '0.6'],
  ['real', '0.1', '0.10000000001', '0.2'],
  ['timestamptz', '2026-01-02T03:04:05Z', '2026-01-02T04:04:05+01:00', '2026-01-02T03:04:06Z'],
  ['timestamptz(0)', '2026-01-02T03:04:05Z', '2026-01-02T03:04:05.4Z', '2026-01-02T03:04:05.6Z'],
  ['date', '2026-01-02', '2026-01-02T10:00:00Z', '2026-01-03'],
  ['interval', '24:00:00', '1 day', 'P1D', '23:00:00'],
  ['inet', '10.0.0.1', '10.0.0.1/32', '10.0.0.2'],
  ['bytea', '\\x41', 'A', '\\x61'],
  ['jsonb', '{"a": 1, "b": 2}', '{"b":2,"a":1}', '{"a":1}'],
  ['bit(3)', '101', '100'],
  ['boolean', 'true', 'false'],
])('keys of %s have the same form exactly when the database treats them as equal', async (type, ...keys) => {
  const table = nameTable()
  await peer.query(`create table forms.${table} (k ${type} primary key);
    alter table forms.${table} owner to ${peer.access.user}`)
  const forms = await formsOf(keys)
  for (const [at, first] of keys.entries())
    for (const [beside, second] of keys.entries()) {
      if (beside <= at) continue
      await peer.query(`truncate forms.${table}`)
      const both = [await write(first), await write(second)]
      const isSame = /^delivered .*(?:already there|Duplicate entry)/.test(both.join())
      expect(forms[at] === forms[beside], `${first} and ${second}: ${both.join(' ')}`).toBe(isSame)
    }
})

test('keys of a missing table are all different', async () => {
  nameTable()
  expect(await formsOf(['a', 'A', '1', '01'])).toEqual(['a', 'A', '1', '01'])
})
