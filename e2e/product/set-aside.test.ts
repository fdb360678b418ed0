import { spawnSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openLogWriter } from '@tributary/storage'
import {
  adminCredentials,
  commandEnvironment,
  createSource,
  createWorkspace,
  eventually,
  readMetrics,
  startProduct,
} from '@tributary/test-kit'
import { expect, test } from 'vitest'

const root = new URL('../..', import.meta.url).pathname

test('a request that repeatedly ends the pipeline is set aside and reported, and later requests are stored', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tributary-aside-'))
  const dataDir = join(folder, 'data')
  const command = (...args: string[]): string =>
    spawnSync(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', join(root, 'scripts/set-aside.ts'), ...args],
      {
        env: { ...commandEnvironment, TRIBUTARY_DATA_DIR: dataDir },
        encoding: 'utf8',
      },
    ).stdout
  const first = await startProduct({ dataDir })
  await first.api.login(adminCredentials)
  const { workspace } = await createWorkspace(first.api)
  const { source, key } = await createSource(first.api, workspace)
  await first.stop()
  const id = workspace.split('/').at(-1) ?? ''
  const body = JSON.stringify({ type: 'track', event: 'E', userId: 'u', messageId: 'never' })
  const log = await openLogWriter({ dir: join(dataDir, 'log/requests'), inline: true })
  // A time that is not a valid date; collection never writes one.
  await log.append({
    key: id,
    meta: JSON.stringify({ w: id, s: source.split('/').at(-1), k: 'single', r: 9e15, ip: '' }),
    body: Buffer.from(body),
  })
  await log.close()

  {
    await using product = await startProduct({ dataDir })
    await product.api.login(adminCredentials)
    const answer = await fetch(`${product.url}/v1/track`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`${key}:`)}`, 'content-type': 'application/json' },
      body: JSON.stringify({ userId: 'u', event: 'E', messageId: 'after' }),
    })
    expect(answer.status).toBe(200)
    await eventually('what came after it is stored', async () => {
      const { events } = await product.api.ok('GET', `/${source}/events`)
      return (events as { message_id: string }[]).map(({ message_id }) => message_id).join() === 'after'
    })
    await eventually('it is counted', async () =>
      /^tributary_set_aside_requests 1$/m.test(await (await readMetrics(product.url)).text()),
    )
    const aside = /^(\S+) .*RangeError/s.exec(command())?.[1] ?? ''
    expect(command('show', aside)).toBe(`${body}\n`)
    expect(command('take-back', aside)).toMatch(/^1 request will be processed again/)
    await eventually('it fails again and is set aside anew', () => {
      const again = /^(\S+) .*RangeError/s.exec(command())?.[1]
      return again !== undefined && again !== aside
    })
  }
  await rm(folder, { recursive: true, force: true })
})
