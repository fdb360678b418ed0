// npm run demo: sends the events of an imaginary shop to a running product, a few a second, until stopped or for
// `--events N`. Makes the organisation, source and write key it needs the first time, under the administrator's account.
import { parseArgs } from 'node:util'
import { createApiClient, createSource, createWorkspace } from '@tributary/test-kit'
import { readConfig } from '../apps/server/src/config.ts'

const { values } = parseArgs({
  options: {
    url: { type: 'string' },
    email: { type: 'string' },
    password: { type: 'string' },
    events: { type: 'string', default: '0' },
    rate: { type: 'string', default: '5' },
  },
})
const config = readConfig(process.env)
const url = (values.url ?? `http://127.0.0.1:${config.port}`).replace(/\/+$/, '')
const email = values.email ?? config.admin.email
const password = values.password ?? config.admin.password
if (password === undefined) {
  console.error(
    'Give the password that the first start printed: npm run demo -- --password <password> [--email <address>] [--url <address>] [--events <count>] [--rate <per second>]',
  )
  process.exit(2)
}

const api = createApiClient(url)
try {
  await api.login({ email, password })
} catch (error) {
  console.error(
    `Cannot sign in at ${url}: ${error instanceof Error ? error.message : String(error)}\nIs the product running (npm start), and are the address and password right?`,
  )
  process.exit(1)
}

const title = 'Demo shop'
const workspaces = (await api.ok('GET', '/workspaces')).workspaces as {
  name: string
  organization: { title: string }
}[]
const workspace =
  workspaces.find(({ organization }) => organization.title === title)?.name ??
  (await createWorkspace(api, title)).workspace
const { key, source } = await createSource(api, workspace, `Shop ${new Date().toISOString().slice(0, 16)}`)
console.log(`Sending to ${url}/${source}`)

const pick = <T>(list: readonly T[]): T => list[Math.floor(Math.random() * list.length)] as T
const products = [
  { name: 'Espresso beans', price: 14.9, category: 'coffee' },
  { name: 'Hand grinder', price: 79, category: 'gear' },
  { name: 'Filter papers', price: 6.5, category: 'gear' },
  { name: 'Oolong', price: 11.2, category: 'tea' },
]
const shopEvent = (): object => {
  const userId = `customer-${Math.floor(Math.random() * 200)}`
  const product = pick(products)
  return pick([
    () => ({
      type: 'page',
      userId,
      name: pick(['Home', 'Search', 'Product', 'Basket']),
      properties: { url: 'https://shop.example/' },
    }),
    () => ({ type: 'track', userId, event: 'Product Viewed', properties: product }),
    () => ({
      type: 'track',
      userId,
      event: 'Product Added',
      properties: { ...product, quantity: 1 + Math.floor(Math.random() * 3) },
    }),
    () => ({
      type: 'track',
      userId,
      event: 'Order Completed',
      properties: { order_id: crypto.randomUUID(), revenue: product.price, currency: 'EUR' },
      context: { test: Math.random() < 0.2 },
    }),
    () => ({
      type: 'identify',
      userId,
      traits: { email: `${userId}@example.com`, plan: pick(['free', 'team', 'business']) },
    }),
  ])()
}

const wanted = Number(values.events)
for (let sent = 0; wanted === 0 || sent < wanted; sent++) {
  const answer = await fetch(`${url}/v1/batch`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${key}:`)}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      batch: [{ messageId: crypto.randomUUID(), timestamp: new Date().toISOString(), ...shopEvent() }],
      sentAt: new Date().toISOString(),
    }),
  })
  if (!answer.ok) console.error(`${answer.status} ${await answer.text()}`)
  await new Promise((resolve) => setTimeout(resolve, 1000 / Number(values.rate)))
}
console.log(`Sent ${wanted} events.`)
