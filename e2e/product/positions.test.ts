import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  adminCredentials,
  commandEnvironment,
  createSource,
  createWebhook,
  createWorkspace,
  eventually,
  type Product,
  skipsKafka,
  startProduct,
  startWebhookReceiver,
} from '@tributary/test-kit'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { post, storedEvents, track } from './calls.ts'
import { startRemoteEngines } from './several-processes.ts'

const script = new URL('../../scripts/positions.ts', import.meta.url).pathname

let stack: AsyncDisposableStack
beforeEach(() => {
  stack = new AsyncDisposableStack()
})
afterEach(() => stack.disposeAsync())

type World = { start(): Promise<Product>; env: Record<string, string> }

/** Runs the command as a user does, without installing packages. */
const runOnce = async (env: NodeJS.ProcessEnv, args: readonly string[]): Promise<{ code: unknown; output: string }> => {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', script, ...args], {
    env: { ...commandEnvironment, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const from of [child.stdout, child.stderr])
    from.on('data', (piece) => {
      output += piece
    })
  const code = await new Promise((resolve) => child.once('close', resolve))
  return { code, output }
}

/** Runs the command as an operator would: again, if an engine on a busy machine did not answer in time. */
const commandOf =
  ({ env }: World) =>
  async (...args: string[]): Promise<{ code: unknown; output: string }> => {
    for (let tries = 1; ; tries++) {
      const result = await runOnce(env, args)
      if (tries === 5 || !result.output.includes('no answer within 2 seconds')) return result
    }
  }

const embedded = async (): Promise<World> => {
  const folder = await mkdtemp(join(tmpdir(), 'tributary-positions-'))
  stack.defer(() => rm(folder, { recursive: true, force: true }))
  const dataDir = join(folder, 'data')
  return {
    env: { TRIBUTARY_DATA_DIR: dataDir },
    async start() {
      const product = await startProduct({ dataDir })
      stack.defer(() => product.kill())
      return product
    },
  }
}

const shared = async (): Promise<World> => {
  const engines = await startRemoteEngines(stack)
  const env = { TRIBUTARY_PARTITION_GROUPS: '2' }
  return {
    env: { ...engines.env, ...env, TRIBUTARY_DATA_DIR: engines.folder('main') },
    start: () => engines.start('main', { env }),
  }
}

test.for([
  ['in the data folder', 'delivery:', embedded, false],
  ['with PostgreSQL and Kafka, in groups', 'delivery 2/2:', shared, true],
] as const)(
  'resetting the delivery position sends events again, and nothing is stored twice: %s',
  async ([, line, open, needsKafka], { skip }) => {
    if (needsKafka && skipsKafka()) skip()
    const receiver = stack.use(await startWebhookReceiver())
    const world = await open()
    const command = commandOf(world)
    const first = await world.start()
    await first.api.login(adminCredentials)
    const { workspace } = await createWorkspace(first.api)
    const { source, key } = await createSource(first.api, workspace)
    await createWebhook(first.api, workspace, source, { url: receiver.url })
    const send = async (from: number, to: number): Promise<string[]> => {
      const ids = Array.from({ length: to - from }, (_, n) => `m-${from + n}`)
      await eventually(
        'accepted',
        async () => (await post(first, '/v1/track', key, track(ids[0] ?? ''))).status === 200,
      )
      for (const id of ids.slice(1)) await post(first, '/v1/track', key, track(id))
      await eventually('delivered', () => ids.every((id) => receiver.messageIds().has(id)))
      return ids
    }
    const early = await send(0, 10)
    // The next events have a later millisecond.
    const between = Date.now() + 1
    await eventually('time goes on', () => Date.now() > between + 1)
    const late = await send(10, 30)
    const timesOf = (): Map<string, number> => receiver.messageIds()

    // While the product runs, positions can be shown, but not reset.
    const inTime = (...args: string[]) =>
      eventually('engines answer in time', async () => {
        const answer = await command(...args)
        return !/no answer within/.test(answer.output) && answer
      })
    const shown = await inTime()
    expect([shown.code, shown.output]).toEqual([0, expect.stringContaining(line)])
    expect(shown.output).toMatch(/^pipeline.*: \d+ records? of requests waiting/m)
    const refused = await inTime('reset', 'delivery', '--to', 'beginning', '--yes')
    expect([refused.code, refused.output]).toEqual([
      1,
      expect.stringMatching(/is in use by the process|A process has delivery/),
    ])
    await first.stop()

    // The same resets are refused wherever the engines are.
    if (!needsKafka) {
      for (const consumer of ['pipeline', 'profiles', 'signals'])
        expect(await command('reset', consumer, '--to', 'beginning', '--yes')).toMatchObject({
          code: 1,
          output: expect.stringContaining('cannot be set back'),
        })
      const ahead = new Date(Date.now() + 3_600_000).toISOString()
      expect((await command('reset', 'delivery', '--to', ahead, '--yes')).output).toMatch(/cannot be set forward/)
      expect(await command('reset', 'delivery', '--to', 'soon')).toMatchObject({ code: 2 })
    }
    const since = new Date(between).toISOString()
    const asked = await command('reset', 'delivery', '--to', since)
    expect(asked).toMatchObject({ code: 1, output: expect.stringMatching(/will send 20 events again.*20 deliveries/) })
    expect(asked.output).toContain('Nothing has changed.')
    expect(await command('reset', 'delivery', '--to', since, '--yes')).toMatchObject({ code: 0 })
    const places = await command('--partitions')
    expect(places.output).toMatch(/^delivery.*: [1-9]\d* records? of stream waiting in 1 of/m)

    const second = await world.start()
    await second.api.login(adminCredentials)
    await eventually('the late ones again', () => late.every((id) => timesOf().get(id) === 2))
    expect(early.map((id) => timesOf().get(id))).toEqual(early.map(() => 1))
    const stored = await storedEvents(second, source)
    expect(stored.map(({ message_id }) => message_id).toSorted()).toEqual([...early, ...late].toSorted())
    await second.stop()
  },
)
