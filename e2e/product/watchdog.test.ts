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
  startProduct,
} from '@tributary/test-kit'
import { expect, test } from 'vitest'

const root = new URL('../..', import.meta.url).pathname

test('a request that blocks the pipeline twice is set aside without loss, and a call that blocks the main thread ends the process with 1', async () => {
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

  await using again = await startProduct({ dataDir, env: { ...env, TRIBUTARY_FAULT: 'none' } })
  await again.api.login(adminCredentials)
  const held = (await again.api.ok('GET', `/${workspace}/heldWork`)).held_work as { name: string; reason: string }[]
  expect(held.map(({ reason }) => reason)).toEqual([expect.stringContaining('It blocked the thread pipeline twice')])
  await again.api.ok('POST', `/${held[0]?.name}:release`, {})
  await eventually('everything acknowledged is stored', async () => {
    const { events } = await again.api.ok('GET', `/${source}/events`)
    const ids = (events as { message_id: string }[]).map(({ message_id }) => message_id)
    return ids.toSorted().join() === 'acknowledged,blocks'
  })
  await again.stop()
  await rm(folder, { recursive: true, force: true })
})
