import { randomUUID } from 'node:crypto'
import { keyAreaNames, methodList } from '@tributary/contract'
import {
  attacks,
  createApiClient,
  createDestination,
  createHostileWorld,
  createSource,
  createWorkspace,
  eventually,
  type HostileWorld,
  type Product,
  startKafka,
  startWebhookReceiver,
} from '@tributary/test-kit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { post, track } from '../product/calls.ts'
import { suffer } from '../product/hostile-list.ts'
import { startRemoteEngines } from '../product/several-processes.ts'

describe('three processes whose log is on Kafka', () => {
  const stack = new AsyncDisposableStack()
  let processes: Product[]
  let main: Product
  let world: HostileWorld
  let receiver: Awaited<ReturnType<typeof startWebhookReceiver>>

  beforeAll(async () => {
    receiver = stack.use(await startWebhookReceiver())
    const engines = await startRemoteEngines(stack, { kafka: await startKafka() })
    const start = (name: string, roles: string): Promise<Product> =>
      engines.start(name, { env: { TRIBUTARY_ROLES: roles, TRIBUTARY_PARTITION_GROUPS: '2' } })
    main = await start('main', 'api,realtime,profiles,jobs,collect')
    processes = [main, ...(await Promise.all([start('p', 'pipeline'), start('d', 'delivery')]))]
    world = stack.use(await createHostileWorld(main, receiver.url))
  }, 240_000)
  afterAll(() => stack.disposeAsync(), 60_000)

  test.for(attacks.map((attack) => [attack.what, attack] as const))(
    "%s: is stopped at its limit with a message, no process grows by 100 MiB, and another tenant's event is delivered",
    async ([, attack]) => {
      await suffer(attack, world, processes)
      const id = randomUUID()
      expect((await post(main, '/v1/track', world.victimKey, track(id))).status).toBe(200)
      await eventually('the event is delivered', () => receiver.messageIds().has(id), 30_000)
    },
  )

  test('every method answers a key of another organization as it answers a caller without access', async () => {
    const { api } = main
    const mine = await createWorkspace(api, 'Mine')
    const others = await createWorkspace(api, 'Others')
    const { source } = await createSource(api, mine.workspace)
    const destination = await createDestination(api, mine.workspace, source, {
      app: 'webhook',
      settings: { url: receiver.url },
    })
    const stranger = createApiClient(main.url)
    const { key } = await api.ok('POST', `/${others.organization}/apiKeys`, {
      title: 'Stranger',
      role: 'ORG_ADMIN',
      areas: [...keyAreaNames],
    })
    stranger.token = String(key)
    const ids: Record<string, string> = Object.fromEntries(
      [mine.organization, mine.workspace, source, destination].map((name) => {
        const [kind = '', id = ''] = name.split('/').slice(-2)
        return [kind.replace(/s$/, ''), id]
      }),
    )
    const answers = new Map<string, number>()
    for (const { name, verb, path, access, request } of methodList) {
      if (access.scope !== 'workspace' && access.scope !== 'organization') continue
      const asked = path.replace(/\{(\w+)\}/g, (_, parameter: string) => ids[parameter] ?? randomUUID())
      answers.set(name, (await stranger.call(verb, asked, request === undefined ? undefined : {})).status)
    }
    expect(answers.size).toBeGreaterThan(150)
    // Some bodies and queries are checked first, which reveals no data of other organizations.
    expect([...answers].filter(([, status]) => ![400, 403, 404].includes(status))).toEqual([])
    expect([...answers.values()].filter((status) => status === 404).length).toBeGreaterThan(100)
  })
})
