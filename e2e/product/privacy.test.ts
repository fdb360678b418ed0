import { spawnSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  adminCredentials,
  commandEnvironment,
  createSource,
  createWorkspace,
  eventually,
  type Product,
  startProduct,
} from '@tributary/test-kit'
import { afterEach, beforeEach, expect, test } from 'vitest'

const root = new URL('../..', import.meta.url).pathname
let folder: string
let dataDir: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tributary-privacy-'))
  dataDir = join(folder, 'data')
})
afterEach(async () => {
  await rm(folder, { recursive: true, force: true })
})

const start = async (env: Record<string, string> = {}): Promise<Product> => {
  const product = await startProduct({ dataDir, env })
  await product.api.login(adminCredentials)
  return product
}

const send = async (product: Product, key: string, events: readonly object[]): Promise<void> => {
  const answer = await fetch(`${product.url}/v1/batch`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${key}:`)}`, 'content-type': 'application/json' },
    body: JSON.stringify({ batch: events }),
  })
  expect(answer.status).toBe(200)
}
const gone = [
  { type: 'identify', messageId: 'g1', userId: 'u-gone', anonymousId: 'a-gone', traits: { name: 'Gone' } },
  { type: 'track', messageId: 'g2', anonymousId: 'a-gone', event: 'Seen' },
]
const stays = [{ type: 'track', messageId: 's1', userId: 'u-stays', anonymousId: 'a-stays', event: 'Seen' }]

const messageIds = async ({ api }: Product, workspace: string): Promise<string[]> =>
  ((await api.ok('GET', `/${workspace}/events`)).events as { message_id: string }[])
    .map(({ message_id }) => message_id)
    .sort()
const found = async ({ api }: Product, workspace: string, search: string): Promise<number> =>
  ((await api.ok('GET', `/${workspace}/profiles?search=${search}`)).profiles as unknown[]).length

const deleteUser = async ({ api }: Product, workspace: string): Promise<string> => {
  const identifiers = [{ type: 'user_id', value: 'u-gone' }]
  return String((await api.ok('POST', `/${workspace}/privacyRequests`, { kind: 'delete', identifiers })).name)
}
/**
 * Waits until a privacy request has data left only in the logs. A job whose process was killed continues within a
 * minute.
 */
const erased = ({ api }: Product, request: string): Promise<unknown> =>
  eventually(
    'erased',
    async () => {
      const { places } = (await api.ok('GET', `/${request}`)) as { places: { place: string; state: string }[] }
      return places.every(({ place, state }) => state === (place === 'logs' ? 'waiting' : 'done'))
    },
    120_000,
  )

test('a deletion that a kill interrupts hides the deleted user, continues after the next start, and still applies after an older backup is restored, including stored events without a profile', async () => {
  const run = (script: string, ...args: string[]): void => {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', join(root, `scripts/${script}.ts`), 'backup.tar.zst', ...args],
      {
        env: { ...commandEnvironment, TRIBUTARY_DATA_DIR: 'data', INIT_CWD: folder },
        encoding: 'utf8',
      },
    )
    expect(status, `${stdout}${stderr}`).toBe(0)
  }
  // No process makes profiles yet.
  const first = await start({ TRIBUTARY_ROLES: 'api,collect,pipeline,delivery,jobs' })
  const { workspace } = await createWorkspace(first.api)
  const { key } = await createSource(first.api, workspace)
  await send(first, key, [...gone, ...stays])
  await eventually('stored', async () => (await messageIds(first, workspace)).length === 3)
  await first.stop()
  run('backup')
  const killed = await start({ TRIBUTARY_FAULT: 'erasure.before-events' })
  await eventually(
    'known',
    async () => (await found(killed, workspace, 'a-gone')) + (await found(killed, workspace, 'u-stays')) === 2,
  )
  const name = await deleteUser(killed, workspace).catch(() => '')
  await killed.ended
  const second = await start()
  expect(await messageIds(second, workspace)).toEqual(['s1'])
  const requestsOf = async ({ api }: Product): Promise<string[]> => {
    const { privacy_requests } = await api.ok('GET', `/${workspace}/privacyRequests`)
    return (privacy_requests as { name: string }[]).map((request) => request.name)
  }
  const requests = await requestsOf(second)
  expect(requests).toHaveLength(1)
  const [request = ''] = requests
  if (name !== '') expect(request).toBe(name)
  await erased(second, request)
  expect(await messageIds(second, workspace)).toEqual(['s1'])
  expect(await found(second, workspace, 'a-gone')).toBe(0)
  expect(await found(second, workspace, 'u-stays')).toBe(1)
  await second.stop()
  run('restore', '--force')
  await using third = await start()
  expect(await messageIds(third, workspace)).toEqual(['s1'])
  await eventually('known', async () => (await found(third, workspace, 'u-stays')) === 1)
  for (const value of ['u-gone', 'a-gone']) expect(await found(third, workspace, value), value).toBe(0)
  const [again = ''] = await requestsOf(third)
  await erased(third, again)
  expect(await messageIds(third, workspace)).toEqual(['s1'])
})
