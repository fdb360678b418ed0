import { createHash } from 'node:crypto'
import { methods } from '@tributary/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { maskMapping } from '../profiles/mask-rules.ts'
import { type Harness, type Organization, startControl, startOrganization } from '../testing/control-harness.ts'
import { field, mappedCatalog, purchase, startMapped } from '../testing/mapped-destination.ts'

let harness: Harness
let organization: Organization
beforeAll(async () => {
  harness = await startControl({ catalog: mappedCatalog })
  organization = await startOrganization(harness)
})
afterAll(() => harness[Symbol.asyncDispose]())

const items = {
  type: 'LIST',
  list: 'properties.products',
  root: 'properties',
  fields: [
    { name: 'id', source: { type: 'FIRST', sources: [field('sku'), { type: 'CONSTANT', value: 'hush' }] } },
    { name: 'price', type: 'number', source: field('price') },
    { name: 'shop', source: { type: 'CONSTANT', value: 'hush' } },
  ],
}
const first = { type: 'FIRST', sources: [field('context.traits.email'), field('properties.email')] }
const plain = purchase({
  'user.em': first,
  value: field('properties.total'),
  currency: field('properties.currency'),
  items,
})
const mapping = {
  ...plain,
  field_mappings: plain.field_mappings.map((each) =>
    each.target.name === 'currency'
      ? {
          ...each,
          conditions: [{ id: 'c001', field: 'properties.total', operator: 'greater_than' as const, value: '10' }],
          condition_match: 'all' as const,
        }
      : each,
  ),
}
const em = createHash('sha256').update('ada@example.com').digest('hex')
const order = (properties: object) => ({ type: 'track', event: 'Order Completed', userId: 'u1', properties })

test('sources in order, lists of objects, and conditions are stored as they are, and previewed as they are delivered', async () => {
  const { params, store } = await startMapped(harness, organization)
  const { administrator, collaborator } = organization
  const saved = await administrator.ok(methods.mappings.update, params, { body: { event_mappings: [mapping] } })
  expect(saved.event_mappings).toEqual([mapping])
  expect((await collaborator.ok(methods.mappings.get, params)).event_mappings).toEqual([mapping])
  const email = 'ada@example.com'
  const [named = '', small = ''] = await store([
    order({ total: 20, currency: 'EUR', email, products: [{ sku: 'a', price: '5' }, { price: 'x' }, 7] }),
    order({ total: 5, currency: 'EUR', email, sku: 'root', price: 1 }),
  ])
  const preview = async (event: string) => {
    const shown = await collaborator.ok(methods.mappings.preview, params, { body: { event_mapping: mapping, event } })
    return { payload: JSON.parse(shown.payload) as unknown, problems: shown.problems }
  }
  expect(await preview(named)).toEqual({
    payload: {
      user: { em },
      value: 20,
      currency: 'EUR',
      items: [{ id: 'a', price: 5, shop: 'hush' }],
    },
    problems: [
      {
        field: 'f003',
        message: '"Items" (items): 1 of 3 items: price is text that is not a number; 1 of 3 items: not an object',
        severity: 'note',
      },
    ],
  })
  expect(await preview(small)).toEqual({
    payload: { user: { em }, value: 5, items: [{ id: 'root', price: 1, shop: 'hush' }] },
    problems: [],
  })
})

test('a wrong source of a list is refused with its position', async () => {
  const { path } = await startMapped(harness, organization)
  const wrong = purchase({
    'user.em': first,
    value: { type: 'FIRST', sources: [field('a'), { type: 'CONSTANT', value: 'x' }] },
  })
  expect(await organization.administrator.call('PUT', path(), { event_mappings: [wrong] })).toMatchObject({
    status: 400,
    body: {
      metadata: {
        'event_mappings.0.field_mappings.1.source.sources.1.value': 'The constant is text that is not a number',
      },
    },
  })
})

test('values that members entered are hidden in lists and conditions, too', () => {
  expect(JSON.stringify(mapping)).toContain('hush')
  const masked = JSON.stringify(maskMapping(mapping))
  expect(masked).not.toContain('hush')
  expect(maskMapping(mapping).field_mappings[2]?.conditions?.[0]?.value).not.toBe('10')
})
