import {
  createEgressPolicy,
  createLifetime,
  createRequestClient,
  type DeliverContext,
  type OutgoingRow,
  validateSettings,
} from '@tributary/connector-kit'
import { silentLogger } from '@tributary/kernel'
import { hasMariaDb, type MariaDbPeer, startMariaDb } from '@tributary/test-kit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { tableObject } from '../../wire/access/table-object.ts'
import { mysql } from './definition.ts'

let peer: MariaDbPeer
let context: DeliverContext
const stack = new AsyncDisposableStack()
beforeAll(async () => {
  if (!hasMariaDb) return
  peer = stack.use(await startMariaDb())
  const checked = validateSettings(mysql, { ...peer.access, tls: 'off' })
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
const write = async (key: string): Promise<string> => {
  const row: OutgoingRow = { recordId: 'r.1', operation: 'insert', object, key, json: JSON.stringify({ k: key }) }
  const { outcomes } = (await mysql.deliverRows?.([row], context)) ?? {}
  const [outcome] = Array.isArray(outcomes) ? outcomes : []
  return outcome === undefined ? '' : `${outcome.kind} ${'reason' in outcome ? outcome.reason : ''}`
}

/** Returns the forms of keys, with a call as in a run. */
const formsOf = async (keys: readonly string[]): Promise<string[]> => {
  const plain = new RegExp((await mysql.keyForms?.plainKeys(context, object)) ?? '', 'u')
  const asked = await mysql.keyForms?.formsOf(
    context,
    object,
    keys.map((key) => JSON.stringify(key)),
  )
  return keys.map((key, at) => (plain.test(key) ? key : (asked?.[at] ?? '')))
}

describe.skipIf(!hasMariaDb)('the key forms of MySQL', () => {
  test.each([
    ['varchar(512) collate utf8mb4_nopad_bin', 'ada', 'Ada', 'ada ', 'äda'],
    ['varchar(80) collate utf8mb4_bin', 'ada', 'Ada', 'ada ', 'ad\u0001'],
    ['varchar(80) collate utf8mb4_general_ci', 'straße', 'strase', 'STRASSE', 'strase '],
    ['varchar(80) collate utf8mb4_unicode_ci', 'straße', 'strase', 'STRASSE', 'strasse ', 'strasse\u200b', 'stras'],
    ['varchar(80) collate utf8mb4_unicode_520_nopad_ci', 'øre', 'ore', 'ORE', 'ore '],
    ['varchar(80) character set latin1 collate latin1_swedish_ci', 'Ada', 'ÁDA', 'ada ', 'äda'],
    ['char(6)', 'ada', 'ada  ', 'Ada', 'much too long'],
    ["enum('a', 'b')", 'a', 'A', 'b', 'c'],
    ['int', '1', '01', '+1', '1.0', '-0', '0'],
    ['bigint unsigned', '18446744073709551615', '018446744073709551615', '18446744073709551614', '-1'],
    ['decimal(10,2)', '1.1', '1.10', '01.1', '1.11', '1.111'],
    ['double', '0.5', '.50', '5e-1', '0.6'],
    ['datetime', '2026-01-02T03:04:05Z', '2026-01-02T04:04:05+01:00', '2026-01-02T03:04:05.9Z', '2026-01-02 03:04:06'],
    ['datetime(3)', '2026-01-02T03:04:05Z', '2026-01-02T03:04:05.0001Z', '2026-01-02T03:04:05.1Z'],
    ['timestamp', '2026-01-02T03:04:05Z', '2026-01-02T04:04:05+01:00', '2026-01-02T03:04:06Z'],
    ['date', '2026-01-02', '2026-01-02T10:00:00Z', '2026-01-03'],
    ['time', '10:00:00', '10:00', '11:00:00'],
    ['uuid', '550e8400-e29b-41d4-a716-446655440000', '550E8400-E29B-41D4-A716-446655440000'],
    ['inet6', '::1', '0:0:0:0:0:0:0:1', '::2'],
    ['varbinary(20)', '\\x41', 'A', '\\x61', 'A '],
    ['binary(3)', '\\x41', '\\x4100', '\\x42'],
    ['bit(8)', '5', '05', '6'],
  ])('keys of %s have the same form exactly when the database treats them as equal', async (type, ...keys) => {
    const table = `keys${++tables}`
    object = tableObject({ table, key: 'k' })
    await peer.query(`create table ${table} (k ${type}, primary key (k))`)
    const forms = await formsOf(keys)
    for (const [at, first] of keys.entries())
      for (const [beside, second] of keys.entries()) {
        if (beside <= at) continue
        await peer.query(`truncate ${table}`)
        const both = [await write(first), await write(second)]
        const isSame = /^delivered .*(?:already there|Duplicate entry)/.test(both.join())
        expect(forms[at] === forms[beside], `${first} and ${second}: ${both.join(' ')}`).toBe(isSame)
      }
  })
})
