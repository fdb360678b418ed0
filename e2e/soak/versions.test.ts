import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Method, methodList, pageBuildHeader } from '@tributary/contract'
import {
  adminCredentials,
  createPostgresPeer,
  createSource,
  createWebhook,
  createWorkspace,
  eventually,
  type PostgresPeer,
  type Product,
  serverEntry,
  startProduct,
  startSharedPostgres,
  startWebhookReceiver,
} from '@tributary/test-kit'
import { expect, test } from 'vitest'
import { post, storedEvents, track } from '../product/calls.ts'
import { createSdkLoad, expectInOrder } from '../product/sdk-load.ts'
import { startRemoteEngines } from '../product/several-processes.ts'
import { buildOf, versionBefore } from './build-of.ts'
import { type PageForm, pageForms } from './page-forms.ts'

const before = versionBefore(process.env['SOAK_VERSION_BEFORE'])
const roles = { main: 'api,realtime,profiles,jobs', collect: 'collect', pipeline: 'pipeline', delivery: 'delivery' }
type Role = keyof typeof roles
/** Processes besides the main process, in the order in which they are updated. */
const others: readonly (readonly [string, Role])[] = [
  ['d1', 'delivery'],
  ['d2', 'delivery'],
  ['p1', 'pipeline'],
  ['p2', 'pipeline'],
  ['c1', 'collect'],
  ['c2', 'collect'],
]

/** Watches a count. `longest` returns the longest time in ms without a change of the count since its previous call. */
const watch = (count: () => number): { longest(): number; stop(): void } => {
  let known = count()
  let since = performance.now()
  let longest = 0
  const timer = setInterval(() => {
    const now = count()
    longest = Math.max(longest, performance.now() - since)
    if (now === known) return
    known = now
    since = performance.now()
  }, 50)
  return {
    longest() {
      const found = Math.round(longest)
      longest = 0
      return found
    },
    stop: () => clearInterval(timer),
  }
}

const commandOf = (entry: string): string[] => [
  '--disable-warning=ExperimentalWarning',
  '--max-semi-space-size=16',
  entry,
]

const startFleet = async (stack: AsyncDisposableStack, entry: string) => {
  const engines = await startRemoteEngines(stack, { fromNothing: true })
  const fleet = new Map<string, Product>()
  const commands = { old: commandOf(entry), new: undefined }
  const start = async (name: string, role: Role, version: 'old' | 'new', standsBy?: true): Promise<Product> => {
    const command = commands[version]
    const product = await engines.start(name, {
      env: { TRIBUTARY_ROLES: roles[role], TRIBUTARY_PARTITION_GROUPS: '2' },
      ...(command === undefined ? {} : { command }),
      ...(standsBy === undefined ? {} : { standsBy }),
    })
    fleet.set(name, product)
    return product
  }
  const get = (name: string): Product => {
    const found = fleet.get(name)
    if (found === undefined) throw new Error(`No process ${name} runs`)
    return found
  }
  const stop = async (name: string): Promise<void> => {
    expect(await get(name).stop(), get(name).output()).toBe(0)
  }
  return { start, get, stop }
}

test.skipIf(before.ref === undefined)(
  'while each process is updated and downgraded, acknowledged events are stored once and delivered in order, and other processes continue',
  async () => {
    await using stack = new AsyncDisposableStack()
    const old = stack.use(await buildOf(before.ref ?? ''))
    const isSame = (await readFile(old.entry, 'utf8')) === (await readFile(serverEntry, 'utf8'))
    console.info(`The version before: ${before.said}${isSame ? '. Its sources are those of this one' : ''}`)
    const receiver = stack.use(await startWebhookReceiver({ keepBodies: false }))
    const { start, get, stop } = await startFleet(stack, old.entry)
    let main = await start('main', 'main', 'old')
    await main.api.login(adminCredentials)
    const { workspace } = await createWorkspace(main.api)
    const shop = await createSource(main.api, workspace)
    await createWebhook(main.api, workspace, shop.source, { url: receiver.url, ordered: true })
    await Promise.all(others.map(([name, role]) => start(name, role, 'old')))
    const load = createSdkLoad([
      { key: shop.key, url: get('c1').url, users: ['u0', 'u1', 'u2'] },
      { key: shop.key, url: get('c2').url, users: ['u3', 'u4', 'u5'] },
    ])
    stack.defer(() => load.stop())
    await load.more(200)
    const acknowledged = watch(() => load.ids().length)
    const delivered = watch(() => receiver.messageIds().size)
    stack.defer(() => acknowledged.stop())
    stack.defer(() => delivered.stop())

    const longest: string[] = []
    const note = (what: string): void => {
      longest.push(`${what}: ${acknowledged.longest()} and ${delivered.longest()}`)
    }
    let probes = 0
    /** Checks that an event that is collected now is delivered, whichever process has ended. */
    const arrives = async (collector: string): Promise<void> => {
      const id = `probe-${probes++}`
      expect((await post(get(collector), '/v1/track', shop.key, track(id))).status).toBe(200)
      await eventually('delivered', () => receiver.messageIds().has(id), 60_000)
    }
    let changes = 0
    /**
     * Checks that changes through the API reach the pipeline and delivery processes of both versions, and that parked
     * deliveries are retried.
     */
    const works = async (): Promise<void> => {
      await load.more(100)
      await main.api.login(adminCredentials)
      const { source, key } = await createSource(main.api, workspace)
      await createWebhook(main.api, workspace, source, { url: receiver.url })
      for (const name of ['c1', 'c2']) {
        const id = `change-${changes}-${name}`
        await eventually('the new key', async () => (await post(get(name), '/v1/track', key, track(id))).status === 200)
        await eventually('delivered', () => receiver.messageIds().has(id), 60_000)
      }
      changes++
    }
    /** Replaces the main process: another process takes over after the first one is stopped. */
    const replaceMain = async (from: string, to: string, version: 'old' | 'new'): Promise<void> => {
      const next = await start(to, 'main', version, true)
      const ended = main.stop()
      await arrives('c1')
      await eventually('the takeover', () => next.output().includes('Tributary is ready at'), 90_000)
      expect(await ended, from).toBe(0)
      main = next
      await works()
      note(`${to}, ${version}`)
    }
    const replace = async (name: string, role: Role, version: 'old' | 'new'): Promise<void> => {
      await stop(name)
      await load.more(50)
      await arrives(name === 'c1' ? 'c2' : 'c1')
      await start(name, role, version)
      await works()
      note(`${name}, ${version}`)
    }

    await works()
    await replaceMain('main', 'main2', 'new')
    // A stopped process starts again in the previous version, with the data of the next version.
    await replace('d1', 'delivery', 'old')
    await replace('p1', 'pipeline', 'old')
    await replace('c1', 'collect', 'old')
    for (const [name, role] of others) await replace(name, role, 'new')
    // And back.
    for (const [name, role] of others.toReversed()) await replace(name, role, 'old')
    await replaceMain('main2', 'main', 'old')
    await replaceMain('main', 'main2', 'new')
    await load.stop()

    const sent = load.ids()
    const stored = await eventually(
      'what was acknowledged is stored',
      async () => {
        const events = await storedEvents(main, shop.source)
        const known = new Set(events.map((event) => event.message_id))
        return sent.every((id) => known.has(id)) && events
      },
      180_000,
    )
    expect(stored).toHaveLength(new Set(stored.map((event) => event.message_id)).size)
    expectInOrder(stored, load.acknowledged)
    await eventually('delivered', () => sent.every((id) => receiver.messageIds().has(id)), 180_000)
    // Compares the order of the first arrivals, because events that are sent again arrive again.
    const arrived = new Map([...receiver.messageIds().keys()].map((id, place) => [id, place]))
    for (const [user, ids] of load.acknowledged) {
      const places = ids.map((id) => arrived.get(id) ?? -1)
      expect(places, user).toEqual(places.toSorted((a, b) => a - b))
    }
    console.info(
      `${stored.length} events; longest time without one of this workspace acknowledged and delivered, ms:\n${longest.join('\n')}`,
    )
  },
)

type Version = { product: Product; methods: readonly Pick<Method, 'name' | 'response'>[]; build?: string }

const send = async (
  { url, api }: Product,
  { verb, path, body }: Pick<PageForm, 'verb' | 'path' | 'body'>,
  build: string | undefined,
): Promise<{ status: number; body: Record<string, unknown> }> => {
  const response = await fetch(`${url}/api${path}`, {
    method: verb,
    headers: {
      authorization: `Bearer ${api.token}`,
      'content-type': 'application/json',
      ...(build === undefined ? {} : { [pageBuildHeader]: build }),
    },
    body: JSON.stringify(body),
  })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

/**
 * Returns the forms that pages of a version could not save: a refusal without a message, or data outside of their
 * contract.
 */
const savesOf = async (pages: Version, server: Version, peer: PostgresPeer): Promise<string[]> => {
  const faults: string[] = []
  for (const { form, method, verb, path, body, isNew } of await pageForms(server.product, peer)) {
    if (isNew === true && pages.methods !== methodList) continue
    const answer = await send(server.product, { verb, path, body }, pages.build)
    const description = `${form}: ${answer.status} ${JSON.stringify(answer.body).slice(0, 500)}`
    // The previous version can refuse an unknown field, with a message.
    if (isNew === true && answer.status === 400 && String(answer.body['message']).length > 10) console.info(description)
    else if (answer.status >= 300) faults.push(description)
    else {
      const { error } = pages.methods.find(({ name }) => name === method)?.response.safeParse(answer.body) ?? {}
      if (error !== undefined) faults.push(`${form}: the page does not read the answer: ${error.message}`)
    }
  }
  return faults
}

test.skipIf(before.ref === undefined)(
  'ten forms are saved from pages of each version on servers of both versions, and the pages can read the responses',
  async () => {
    await using stack = new AsyncDisposableStack()
    const old = stack.use(await buildOf(before.ref ?? ''))
    const contract = (await import(/* @vite-ignore */ join(old.folder, 'packages/contract/src/index.ts'))) as {
      methodList: readonly Method[]
    }
    const postgres = stack.use(await startSharedPostgres())
    const start = async (command?: string[]): Promise<Product> => {
      const product = stack.use(await startProduct(command === undefined ? {} : { command }))
      await product.api.login(adminCredentials)
      return product
    }
    const versions = {
      // The earlier of the first two builds that can run together names no build in its pages. Their requests must be
      // accepted.
      before: { product: await start(commandOf(old.entry)), methods: contract.methodList },
      now: { product: await start(), methods: methodList, build: 'that of now' },
    }
    const faults: Record<string, string[]> = {}
    for (const pages of ['before', 'now'] as const)
      for (const server of ['before', 'now'] as const) {
        await using peer = await createPostgresPeer(postgres.url)
        faults[`pages of ${pages}, answered by ${server}`] = await savesOf(versions[pages], versions[server], peer)
      }
    expect(faults).toEqual(Object.fromEntries(Object.keys(faults).map((which) => [which, []])))
  },
)

if (before.ref === undefined) console.info(`Two versions cannot be run together: ${before.said}`)
