import {
  adminCredentials,
  createSource,
  createWorkspace,
  eventually,
  type Product,
  startProduct,
} from '@tributary/test-kit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { realtimeCredentials } from '../../apps/server/src/secrets/realtime-credentials.ts'
import { readKeyFile } from '../../apps/server/src/secrets/secret-key.ts'
import { guideFolder } from '../guides/guide.ts'
import { installPython, languages, runPython } from './programs.ts'

let product: Product
let workspace: string

beforeAll(async () => {
  product = await startProduct()
  await product.api.login(adminCredentials)
  workspace = (await createWorkspace(product.api)).workspace
})
afterAll(() => product?.[Symbol.asyncDispose]())

test.for([
  ['python', 'python'],
  ['rudderstack-python', 'python'],
  ['go', 'go'],
  ['rudderstack-go', 'go'],
  ['java', 'java'],
  ['rudderstack-java', 'java'],
] as const)(
  'the code of the set-up page %s works unchanged: each of its events is stored once',
  async ([slug, name], { skip }) => {
    const language = languages[name]
    const { missing } = language.install(slug)
    if (missing !== undefined) return skip(missing)
    const { source, key } = await createSource(product.api, workspace, `Guide ${slug}`, slug)
    const program = language.run(slug, { origin: product.url, writeKey: key })
    expect(await program.ended, program.output()).toBe(0)
    const titles = await eventually(
      'both events stored',
      async () => {
        const { events } = await product.api.ok('GET', `/${source}/events?page_size=100`)
        const stored = (events as { title: string }[]).map(({ title }) => title)
        return stored.length >= 2 && stored
      },
      60_000,
    )
    expect(titles.toSorted()).toEqual(['Order Completed', 'identify'])
  },
)

test('the Python libraries of the Pusher protocol publish and receive with the keys that `npm run realtime-keys` prints', async ({
  skip,
}) => {
  const folder = guideFolder('pusher-python')
  const { missing } = installPython(folder, ['pusher==3.3.4', 'pysher==1.0.8'])
  if (missing !== undefined) return skip(missing)
  const { appId, key, secret } = realtimeCredentials((await readKeyFile(product.dataDir)) ?? '')
  const program = runPython(
    folder,
    `import os, threading, pusher, pysher
host, port = '127.0.0.1', int(os.environ['PORT'])
key, secret = os.environ['KEY'], os.environ['SECRET']
server = pusher.Pusher(app_id=os.environ['APP_ID'], key=key, secret=secret, ssl=False, host=host, port=port)
heard, ready, done = [], threading.Event(), threading.Event()
client = pysher.Pusher(key, secure=False, custom_host=host, port=port, secret=secret)
def listen(_):
    for name in ['news', 'private-orders']:
        channel = client.subscribe(name)
        channel.bind('item', lambda data, name=name: (heard.append(name + data), len(heard) == 2 and done.set()))
        channel.bind('pusher_internal:subscription_succeeded', lambda _, name=name: name == 'private-orders' and ready.set())
client.connection.bind('pusher:connection_established', listen)
client.connect()
assert ready.wait(30), 'not subscribed'
server.trigger(['news', 'private-orders'], 'item', {'n': 1})
assert done.wait(30), 'not heard'
print(sorted(heard))
client.disconnect()
`,
    { PORT: new URL(product.url).port, APP_ID: appId, KEY: key, SECRET: secret },
  )
  expect(await program.ended, program.output()).toBe(0)
  expect(program.output()).toContain(`['news{"n": 1}', 'private-orders{"n": 1}']`)
})
