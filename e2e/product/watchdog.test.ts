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

test('a request that blocks or ends the pipeline repeatedly is set aside without loss, and a call that blocks the main thread ends the process with 1', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tributary-blocked-'))
  const dataDir = join(folder, 'data')
  // The fault blocks every request in the pipeline, and calls that contain `poison`.
  const env = {
    TRIBUTARY_BLOCKED_LOG_SECONDS: '1',
    TRIBUTARY_BLOCKED_END_SECONDS: '3',
    TRIBUTARY_FAULT: 'block:pipeline.steps|poison',
  }
  const command = (...args: string[]): string =>
    spawnSync(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', join(root, 'scripts/set-aside.ts'), ...args],
      {
        env: { ...commandEnvironment, TRIBUTARY_DATA_DIR: dataDir },
        encoding: 'utf8',
      },
    ).stdout
  const bodyOf = (messageId: string): string => JSON.stringify({ userId: 'u', event: 'E', messageId })
  const first = await startProduct({ dataDir, env })
  await first.api.login(adminCredentials)
  const { workspace } = await createWorkspace(first.api)
  const { source, key } = await createSource(first.api, workspace)
  const track = async (url: string, messageId: string): Promise<void> => {
    const answer = await fetch(`${url}/v1/track`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`${key}:`)}`, 'content-type': 'application/json' },
      body: bodyOf(messageId),
    })
    expect(answer.status).toBe(200)
  }
  await track(first.url, 'blocks')
  await eventually(
    'the pipeline was ended twice by itself, and the request is set aside',
    () => first.output().includes('is set aside: see npm run set-aside'),
    120_000,
  )
  expect(command()).toContain('It blocked the thread pipeline twice')
  expect(first.output()).toMatch(/"thread":"pipeline","step":"pipeline\.steps","workspaceId":"[\w-]+","item":"request /)
  expect(first.output()).not.toContain('The thread main')
  const [aside = ''] = command().split(' ')
  expect(command('show', aside)).toBe(`${bodyOf('blocks')}\n`)

  // The request is acknowledged, but not processed when the process ends.
  await track(first.url, 'acknowledged')
  await first.api.call('GET', '/workspaces?filter=poison').catch(() => {})
  expect(await first.ended).toBe(1)
  expect(first.output()).toContain('The thread main, which did workspaces.list, has not answered for')

  // A request that ends the pipeline: its time is not a valid date, which collection never writes.
  const body = bodyOf('never')
  const log = await openLogWriter({ dir: join(dataDir, 'log/requests'), inline: true })
  const id = workspace.split('/').at(-1) ?? ''
  const meta = JSON.stringify({ w: id, s: source.split('/').at(-1), k: 'single', r: 9e15, ip: '' })
  await log.append({ key: id, meta, body: Buffer.from(body) })
  await log.close()

  {
    await using again = await startProduct({ dataDir, env: { ...env, TRIBUTARY_FAULT: 'none' } })
    await again.api.login(adminCredentials)
    await track(again.url, 'after')
    const storedIds = async (): Promise<string> => {
      const { events } = await again.api.ok('GET', `/${source}/events`)
      const ids = (events as { message_id: string }[]).map(({ message_id }) => message_id)
      return ids.toSorted().join()
    }
    await eventually('what came after it is stored', async () => (await storedIds()) === 'acknowledged,after')
    const held = await eventually('both are set aside', async () => {
      const { held_work } = await again.api.ok('GET', `/${workspace}/heldWork`)
      const rows = held_work as { name: string; reason: string }[]
      return rows.length === 2 && rows
    })
    const blocked = held.filter(({ reason }) => reason.includes('It blocked the thread pipeline twice'))
    expect(blocked).toHaveLength(1)
    await again.api.ok('POST', `/${blocked[0]?.name}:release`, {})
    await eventually(
      'everything that can be is stored',
      async () => (await storedIds()) === 'acknowledged,after,blocks',
    )
    await eventually('the other is counted', async () =>
      /^tributary_set_aside_requests 1$/m.test(await (await readMetrics(again.url)).text()),
    )
    const other = /^(\S+) .*RangeError/s.exec(command())?.[1] ?? ''
    expect(command('show', other)).toBe(`${body}\n`)
    expect(command('take-back', other)).toMatch(/^1 request will be processed again/)
    await eventually('it fails again and is set aside anew', () => {
      const anew = /^(\S+) .*RangeError/s.exec(command())?.[1]
      return anew !== undefined && anew !== other
    })
  }
  await rm(folder, { recursive: true, force: true })
})
