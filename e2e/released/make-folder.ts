// Makes the kept data folder of the version that is checked out: `node e2e/released/make-folder.ts 0.2.0`, after
// `npm start` has built the server once. The product is killed with events in every state: stored, only acknowledged,
// delivered, waiting for a retry, dead, and held.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { constants, createBrotliCompress } from 'node:zlib'
import {
  adminCredentials,
  createSource,
  createWebhook,
  createWorkspace,
  eventually,
  startProduct,
  startWebhookReceiver,
} from '@tributary/test-kit'

const [version] = process.argv.slice(2)
if (version === undefined) throw new Error('Name the version')

const dataDir = await mkdtemp(join(tmpdir(), 'tributary-kept-'))
const peer = await startWebhookReceiver()
const refusing = await startWebhookReceiver()
refusing.behave({ status: 400 })
const product = await startProduct({ dataDir, fromNothing: true })
const { api } = product
await api.login(adminCredentials)
const { workspace } = await createWorkspace(api, 'Kept')
const { source, key } = await createSource(api, workspace)
const taken = await createWebhook(api, workspace, source, { url: `${peer.url}/taken` }, 'Taken')
await createWebhook(api, workspace, source, { url: 'http://127.0.0.1:9/waiting' }, 'Waiting')
await createWebhook(api, workspace, source, { url: refusing.url }, 'Dead')
const settings = { url: `${peer.url}/held`, signing_secret: 'a secret that must be read again' }
const held = await createWebhook(api, workspace, source, settings, 'Held')
await api.ok('PATCH', `/${held}?update_mask=enabled`, { enabled: false })
const sources = {
  messageId: { type: 'VARIABLE', name: 'message_id' },
  order: { type: 'FIELD', name: 'properties.order_id' },
  title: { type: 'TEMPLATE', value: '{{ event_type | upcase }} {{ event }}' },
}
const fields = Object.entries(sources).map(([name, from], at) => ({ id: `f00${at}`, source: from, target: { name } }))
const mapping = { id: 'aaaa', destination: 'send', field_mappings: fields }
await api.ok('PUT', `/${taken}/mappings`, { event_mappings: [mapping] })
const count = { operator: 'at_least', value: 5 }
const query = { id: 'bbbb', type: 'event', selectedEvent: 'Order Completed', count }
await api.ok('POST', `/${workspace}/audiences`, {
  title: 'Buyers',
  query: { groups: { cccc: { segments: [{ id: 'dddd', queries: [query] }] } } },
})

const post = async (path: string, body: object): Promise<void> => {
  const { status } = await fetch(`${product.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${key}:`)}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (status !== 200) throw new Error(`${path} was answered with ${status}`)
}
const order = (at: number, userId: string): Promise<void> =>
  post('/v1/track', {
    userId,
    messageId: `t-${at}`,
    event: 'Order Completed',
    properties: { order_id: `o-${at}`, revenue: 19.99 + at },
  })
await post('/v1/identify', { userId: 'ada', messageId: 'i-1', traits: { email: 'ada@example.com', city: 'Köln' } })
for (const at of [1, 2, 3, 4, 5]) await order(at, 'ada')
const events = async (): Promise<unknown> => (await api.ok('GET', `/${source}/events?page_size=100`)).events
await eventually('they are stored', async () => ((await events()) as unknown[]).length === 6)
const profiles = async (): Promise<unknown> => (await api.ok('GET', `/${workspace}/profiles`)).profiles
await eventually('the profile is known', async () => ((await profiles()) as unknown[]).length === 1)
await eventually('the receivers were asked', () => peer.messageIds().size === 6 && refusing.calls.length >= 6)
for (const at of [6, 7, 8, 9, 10]) await order(at, 'ben')
await product.kill()
await Promise.all([peer.close(), refusing.close()])
// Its engines end by themselves.
await new Promise((resolve) => setTimeout(resolve, 15_000))

const target = new URL(`${version}.tar.br`, import.meta.url).pathname
const tar = spawn('tar', ['-c', '-C', dataDir, '.'], { stdio: ['ignore', 'pipe', 'inherit'] })
const ended = once(tar, 'exit')
const { BROTLI_PARAM_LGWIN, BROTLI_PARAM_QUALITY } = constants
const params = { [BROTLI_PARAM_QUALITY]: 11, [BROTLI_PARAM_LGWIN]: 24 }
await pipeline(tar.stdout, createBrotliCompress({ params }), createWriteStream(target))
await ended
await rm(dataDir, { recursive: true, force: true })
console.log(`Kept in ${target}`)
