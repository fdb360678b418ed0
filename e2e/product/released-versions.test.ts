import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { createBrotliDecompress } from 'node:zlib'
import { adminCredentials, eventually, type Product, startProduct, startWebhookReceiver } from '@tributary/test-kit'
import { expect, test } from 'vitest'
import { storedEvents } from './calls.ts'

/** Data folders of released versions; `make-folder.ts` beside them says what each contains. */
const kept = fileURLToPath(new URL('../released', import.meta.url))
const ending = '.tar.br'
const versions = (await readdir(kept))
  .filter((name) => name.endsWith(ending))
  .map((name) => name.slice(0, -ending.length))

const unpack = async (version: string, folder: string): Promise<void> => {
  const tar = spawn('tar', ['-x', '--no-same-owner', '-C', folder], { stdio: ['pipe', 'ignore', 'inherit'] })
  const ended = once(tar, 'exit')
  await pipeline(createReadStream(join(kept, `${version}${ending}`)), createBrotliDecompress(), tar.stdin)
  expect(await ended).toEqual([0, null])
}

type Named = { name: string; title: string }

const listed = async ({ api }: Product, parent: string, kind: string): Promise<Named[]> =>
  (await api.ok('GET', `${parent}/${kind}`))[kind] as Named[]

const acknowledged = ['t-6', 't-7', 't-8', 't-9', 't-10']
const all = ['i-1', 't-1', 't-2', 't-3', 't-4', 't-5', ...acknowledged]

test.each(versions)(
  'a killed data folder of version %s goes on, and no acknowledged event is lost',
  async (version) => {
    const dataDir = await mkdtemp(join(tmpdir(), 'tributary-released-'))
    try {
      await unpack(version, dataDir)
      await using product = await startProduct({ dataDir })
      const { api } = product
      await api.login(adminCredentials)
      const [workspace] = await listed(product, '', 'workspaces')
      const [source] = await listed(product, `/${workspace?.name}`, 'sources')
      const stored = () => storedEvents(product, source?.name ?? '')
      await eventually('all are stored', async () => (await stored()).length === all.length)
      expect((await stored()).map(({ message_id }) => message_id).toSorted()).toEqual(all.toSorted())

      const expected: Record<string, string[]> = { Taken: acknowledged, Waiting: all, Dead: all, Held: all }
      for (const { name, title } of await listed(product, `/${workspace?.name}`, 'destinations')) {
        await using peer = await startWebhookReceiver()
        const secrets = title === 'Held' ? { signing_secret: 'entered again' } : {}
        await api.ok('POST', `/${name}/app:updateSetting`, { name: 'url', value: peer.url, secrets })
        await api.ok('PATCH', `/${name}?update_mask=enabled`, { enabled: true })
        await api.ok('POST', `/${name}:retry`, {})
        const wanted = expected[title] ?? []
        await eventually(`${title} has all`, () => peer.messageIds().size >= wanted.length)
        expect([...peer.messageIds()].toSorted(), title).toEqual(wanted.map((id) => [id, 1]).toSorted())
      }

      const profiles = async () => await listed(product, `/${workspace?.name}`, 'profiles')
      await eventually('both are known', async () => (await profiles()).length === 2)
      expect((await profiles()).map(({ title }) => title).toSorted()).toEqual(['ada@example.com', 'ben'])
      const [audience] = await listed(product, `/${workspace?.name}`, 'audiences')
      await eventually('both are in the audience', async () => (await api.ok('GET', `/${audience?.name}`)).size === 2)
    } finally {
      await rm(dataDir, { recursive: true, force: true, maxRetries: 5 })
    }
  },
)
