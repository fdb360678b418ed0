import { ownDescription } from '@tributary/connector-kit/testing-own-connector'
import type { Product } from '@tributary/test-kit'

/** Own connectors: a published one with vectors, and a draft with problems. */
export type OwnSeed = { published: string; draft: string }

const vectors = {
  settings: { url: 'https://crm.example.com/base', api_key: 'made-up-key-0001' },
  requests: ['/base/events', '/base/another/path/that/the/service/does/not/document'].map((path) => ({
    name: `An event is posted to ${path}`,
    events: [{ event: 'Signed Up', userId: 'user-1' }],
    requests: [{ method: 'POST', url: `https://crm.example.com${path}`, body: { name: 'Signed Up', user: 'user-1' } }],
  })),
}

const textOf = (change: object = {}): string => JSON.stringify({ ...ownDescription(), ...change }, null, 2)

/** Creates own connectors, one of which has a version and a draft that differs from it. */
export const seedOwn = async ({ api }: Pick<Product, 'api'>, workspace: string): Promise<OwnSeed> => {
  const make = async (title: string, file: string): Promise<string> =>
    String((await api.ok('POST', `/${workspace}/ownConnectors`, { title, file })).name)
  const objects = ownDescription().objects.map((object) => ({
    ...object,
    rows: { upsert: 'track', identifiers: ['user'] },
  }))
  const published = await make('CRM of our sales partners in the south', textOf({ objects }))
  await api.ok('POST', `/${published}:publish`, { note: 'Events and rows, as the partners agreed in their meeting' })
  await api.ok('PATCH', `/${published}`, { description: textOf({ objects, vectors }) })
  const draft = await make('Loyalty', textOf({ category: 'Points', test: { request: 'none', message: 'Works.' } }))
  return { published, draft }
}
