import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { newId, noMetrics, silentLogger } from '@tributary/kernel'
import { lockDataDir, type Relational } from '@tributary/storage'
import { commandEnvironment } from '@tributary/test-kit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openRelationalStore } from '../boot/engines.ts'
import { readConfig } from '../config/config.ts'
import { createProductSecretBox, readKeyFile, writeNextKey } from './secret-key.ts'
import { SecretKeyRotated, settleSecretKey } from './secret-key-rotation.ts'

const script = fileURLToPath(new URL('../../../../scripts/rotate-key.ts', import.meta.url))
const firstKey = 'the-first-key-of-this-product-with-48-characters'

let dataDir: string
const keyId = newId()
beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'tributary-rotate-'))
  writeFileSync(join(dataDir, 'secret.key'), `${firstKey}\n`, { mode: 0o600 })
  await withStore(async ({ db }) => {
    const [organization_id, workspace_id, source_id] = [newId(), newId(), newId()]
    await db.insertInto('organizations').values({ id: organization_id, title: 'O' }).execute()
    await db.insertInto('workspaces').values({ id: workspace_id, organization_id, title: 'W' }).execute()
    await db.insertInto('sources').values({ id: source_id, workspace_id, title: 'S', app: 'http' }).execute()
    const key_encrypted = createProductSecretBox(firstKey).seal('the write key', `write_keys/${keyId}`)
    await db
      .insertInto('write_keys')
      .values({ id: keyId, source_id, workspace_id, key_hash: Buffer.from('hash'), key_encrypted })
      .execute()
  })
})
afterAll(() => rmSync(dataDir, { recursive: true, force: true }))

const configOf = (env: Record<string, string> = {}) => readConfig({ TRIBUTARY_DATA_DIR: dataDir, ...env })

/** Calls the function with the database, while no other process uses it. */
async function withStore<T>(work: (relational: Relational) => Promise<T>): Promise<T> {
  await using store = await openRelationalStore(configOf(), { logger: silentLogger, metrics: noMetrics })
  return await work(store.relational)
}

/** Runs the command as a user does, but without installing. */
const rotate = async (
  args: readonly string[] = [],
  env: Record<string, string> = {},
): Promise<{ code: number | null; signal: string | null; output: string }> => {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', script, ...args], {
    env: { ...commandEnvironment, TRIBUTARY_DATA_DIR: dataDir, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)))
  return await new Promise((resolve) => child.once('close', (code, signal) => resolve({ code, signal, output })))
}

const sealed = ({ db }: Relational) =>
  db.selectFrom('write_keys').select('key_encrypted').where('id', '=', keyId).executeTakeFirstOrThrow()
/** Decrypts the write key with this secret key. */
const openWith = async (relational: Relational, key: string): Promise<string> =>
  createProductSecretBox(key).open((await sealed(relational)).key_encrypted, `write_keys/${keyId}`)
const keyFile = (): string => readFileSync(join(dataDir, 'secret.key'), 'utf8').trim()

test('a data folder in use, a short key and an unknown argument are rejected, and nothing changes', async () => {
  const lock = lockDataDir(dataDir)
  expect(await rotate()).toMatchObject({ code: 1, output: expect.stringContaining('is in use by') })
  await lock.release()
  const short = join(dataDir, 'short')
  writeFileSync(short, 'short')
  expect(await rotate(['--new-key-file', short])).toMatchObject({
    code: 1,
    output: expect.stringContaining('at least 32 characters'),
  })
  expect(await rotate(['now'])).toMatchObject({ code: 2, output: expect.stringContaining('Usage: npm run rotate-key') })
  expect(keyFile()).toBe(firstKey)
})

test('after a kill before the database has changed, the old key stays in use', async () => {
  expect(await rotate([], { TRIBUTARY_FAULT: 'rotate-key.before-commit' })).toMatchObject({ signal: 'SIGKILL' })
  expect(existsSync(join(dataDir, 'secret.key.next'))).toBe(true)
  await withStore(async (relational) => {
    expect(await settleSecretKey(relational.db, configOf(), keyFile(), silentLogger)).toBe(firstKey)
    expect(await openWith(relational, firstKey)).toBe('the write key')
  })
  expect(existsSync(join(dataDir, 'secret.key.next'))).toBe(false)
})

test('after a kill once the database has changed, the next start uses the new key', async () => {
  expect(await rotate([], { TRIBUTARY_FAULT: 'rotate-key.after-commit' })).toMatchObject({ signal: 'SIGKILL' })
  expect(keyFile()).toBe(firstKey)
  await withStore(async (relational) => {
    const settled = await settleSecretKey(relational.db, configOf(), firstKey, silentLogger)
    expect(settled).not.toBe(firstKey)
    expect(keyFile()).toBe(settled)
    expect(await openWith(relational, settled)).toBe('the write key')
    await expect(openWith(relational, firstKey)).rejects.toThrow('another secret key')
  })
  expect(existsSync(join(dataDir, 'secret.key.next'))).toBe(false)
})

test('after a kill once the database has changed, running the command again completes the rotation', async () => {
  expect(await rotate([], { TRIBUTARY_FAULT: 'rotate-key.after-commit' })).toMatchObject({ signal: 'SIGKILL' })
  const interrupted = await readKeyFile(dataDir, '.next')
  expect(await rotate()).toMatchObject({ code: 0, output: expect.stringContaining('1 credential is encrypted') })
  expect(keyFile()).not.toBe(interrupted)
  expect(statSync(join(dataDir, 'secret.key')).mode & 0o777).toBe(0o600)
  await withStore(async (relational) => expect(await openWith(relational, keyFile())).toBe('the write key'))
})

test('with a configured key the command explains what to change, and a start with the old key is rejected with that message', async () => {
  const before = keyFile()
  const file = join(dataDir, 'given')
  writeFileSync(file, 'a-given-key-of-more-than-thirty-two-characters\n')
  const done = await rotate(['--new-key-file', file], { TRIBUTARY_SECRET_KEY: before })
  expect(done).toMatchObject({
    code: 0,
    output: expect.stringContaining('remove TRIBUTARY_SECRET_KEY from the environment'),
  })
  expect(done.output).not.toContain('a-given-key')
  expect(keyFile()).toBe('a-given-key-of-more-than-thirty-two-characters')
  await withStore(async ({ db }) => {
    const config = configOf({ TRIBUTARY_SECRET_KEY: before })
    await expect(settleSecretKey(db, config, before, silentLogger)).rejects.toThrow(SecretKeyRotated)
    // A key that was never in use must not be accepted, even if its file exists.
    await writeNextKey(dataDir, 'some-other-key-that-was-never-committed-here')
    expect(await settleSecretKey(db, configOf(), keyFile(), silentLogger)).toBe(keyFile())
    expect(existsSync(join(dataDir, 'secret.key.next'))).toBe(false)
  })
})
