import { methods } from '@tributary/contract'
import { createSecretBox } from '@tributary/kernel'
import { type OpenIdProvider, startOpenIdProvider } from '@tributary/test-kit'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openSettings } from '../../../configuration/src/connector-settings/stored-settings.ts'
import { type Harness, idIn, makeResources, startControl, startOrganization } from '../testing/control-harness.ts'
import { connect, makePermitted, permit } from '../testing/permissions.ts'
import { resealSecrets } from './reseal.ts'
import { readSealed, sealedColumns } from './sealed-columns.ts'
import { verifySecretKey } from './verify.ts'

let harness: Harness
let provider: OpenIdProvider
let destinationId: string
let key: string
beforeAll(async () => {
  provider = await startOpenIdProvider({ users: [{ email: 'ada@example.com' }] })
  harness = await startControl()
  const organization = await startOrganization(harness)
  const { administrator, workspaceId } = organization
  const made = await makeResources(workspaceId, administrator)
  key = made.writekey.key
  destinationId = idIn(made.destination.name)
  const signed = await administrator.ok(
    methods.sources.create,
    { workspace: workspaceId },
    { body: { title: 'Signed', app: { name: 'catalogSources/signed' } } },
  )
  await administrator.ok(
    methods.sources.updateSetting,
    { workspace: workspaceId, source: idIn(signed.name) },
    { body: { name: 'signing_secret', value: 'whsec' } },
  )
  await administrator.ok(
    methods.dataSources.create,
    { workspace: workspaceId },
    {
      body: {
        title: 'Warehouse',
        app: { name: 'catalogDataSources/database' },
        settings: { host: 'db.example', user: 'reader', password: 'secret' },
      },
    },
  )
  await administrator.ok(
    methods.alertChannels.create,
    { workspace: workspaceId },
    { body: { title: 'On call', kind: 'slack', url: 'https://hooks.slack.com/services/x' } },
  )
  const permitted = await makePermitted(organization, provider)
  await connect(administrator, provider, permitted.name)
  await permit(administrator, provider, permitted.name)
})
afterAll(async () => {
  await harness[Symbol.asyncDispose]()
  await provider[Symbol.asyncDispose]()
})

const boxOf = (fill: number) => createSecretBox(Buffer.alloc(32, fill))

test('the list of sealed columns names every sealed column of the schema and no other', async () => {
  const { rows } = await sql<{ name: string }>`
    select table_name || '.' || column_name as name from information_schema.columns
    where table_schema = current_schema() and column_name like '%\\_encrypted'`.execute(harness.db)
  expect(sealedColumns.map(({ table, column }) => `${table}.${column}`).toSorted()).toEqual(
    rows.map(({ name }) => name).toSorted(),
  )
})

test('all secrets are encrypted again with the new key alone, and decrypt to the same values', async () => {
  for (const column of sealedColumns) expect(await readSealed(harness.db, column, { limit: 1 })).toHaveLength(1)
  const to = boxOf(8)
  const counted = await harness.db.transaction().execute((tx) => resealSecrets(tx, { from: harness.secretBox, to }))
  expect(counted).toBeGreaterThanOrEqual(6)
  for (const column of sealedColumns)
    for (const row of await readSealed(harness.db, column, { limit: 100 })) {
      expect(to.open(row.sealed, column.context(row))).not.toBe('')
      expect(() => harness.secretBox.open(row.sealed, column.context(row))).toThrow('another secret key')
    }
  await verifySecretKey({ db: harness.db, secretBox: to })
  await expect(verifySecretKey({ db: harness.db, secretBox: harness.secretBox })).rejects.toThrow('another secret key')
  const row = await harness.db
    .selectFrom('destinations')
    .selectAll()
    .where('id', '=', destinationId)
    .executeTakeFirstOrThrow()
  expect(openSettings(`destinations/${destinationId}`, row, to)).toMatchObject({ signing_secret: 'very secret' })
  const [kept] = await sql<{ id: string; key_encrypted: Uint8Array }>`select id, key_encrypted from write_keys`
    .execute(harness.db)
    .then(({ rows }) => rows)
  expect(to.open(kept?.key_encrypted ?? new Uint8Array(), `write_keys/${kept?.id}`)).toBe(key)
})

test('a value that cannot be decrypted is named, and nothing is changed', async () => {
  const [from, to] = [boxOf(8), boxOf(9)]
  const { secrets_encrypted } = await harness.db
    .selectFrom('destinations')
    .select('secrets_encrypted')
    .where('id', '=', destinationId)
    .executeTakeFirstOrThrow()
  const set = (value: Uint8Array | null) =>
    harness.db.updateTable('destinations').set({ secrets_encrypted: value }).where('id', '=', destinationId).execute()
  await set(Buffer.from('broken'))
  await expect(harness.db.transaction().execute((tx) => resealSecrets(tx, { from, to }))).rejects.toThrow(
    `The secret of destinations/${destinationId}/secrets can't be decrypted`,
  )
  await set(secrets_encrypted)
  await verifySecretKey({ db: harness.db, secretBox: from })
})
