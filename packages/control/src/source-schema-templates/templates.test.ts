import { methods, parseSourceSchema } from '@tributary/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { toStored } from '../schema-versions/stored-schema.ts'
import { type Harness, type Organization, startControl, startOrganization } from '../testing/control-harness.ts'
import { templateSchema } from './template.ts'
import { templates } from './templates.ts'

let harness: Harness
let organization: Organization
beforeAll(async () => {
  harness = await startControl()
  organization = await startOrganization(harness)
})
afterAll(() => harness[Symbol.asyncDispose]())

const list = (query: { page_size?: number; page_token?: string } = {}) =>
  organization.guest.ok(methods.sourceSchemaTemplates.list, { workspace: organization.workspaceId }, { query })

test('SRC-03, API-47: schema templates have title and name, and the first one is blank', async () => {
  const reply = await organization.guest.call('GET', `/workspaces/${organization.workspaceId}/sourceSchemaTemplates`)
  expect(reply.status).toBe(200)
  const { templates: listed } = methods.sourceSchemaTemplates.list.response.parse(reply.body)
  expect(listed[0]).toEqual({
    name: 'sourceSchemaTemplates/blank',
    title: 'Blank schema',
    description: expect.stringMatching(/./),
  })
  expect(listed.map((each) => each.title)).toEqual([
    'Blank schema',
    'E-commerce',
    'B2B SaaS',
    'Media & publishing',
    'Marketplace',
    'Travel & hospitality',
    'Finance',
    'Mobile app',
    'Gaming',
  ])
  expect(new Set(listed.map((each) => each.name)).size).toBe(listed.length)
})

test('pages show every template once', async () => {
  const all = (await list()).templates
  const first = await list({ page_size: 4 })
  const rest = await list({ page_token: first.next_page_token })
  expect([...first.templates, ...rest.templates]).toEqual(all)
})

test.each(templates.map((template) => [template.title, template] as const))(
  'the template %s is a valid schema, and describes its properties in words',
  (_, template) => {
    const schema = parseSourceSchema(templateSchema(template))
    // As it is stored it is the same text again.
    expect(toStored(schema).text).toBe(templateSchema(template))
    expect([...schema.events.keys()]).toEqual(Object.keys(template.events))
    for (const object of [...schema.events.values(), ...(schema.user === undefined ? [] : [schema.user])])
      for (const [name, property] of object.properties) {
        expect(name).toMatch(/^[a-z][a-z0-9_]*$/)
        expect(property.description).toMatch(/\S.*[.…]$/)
      }
    if (template.slug === 'blank') return expect(schema.events.size).toBe(0)
    expect(schema.events.size).toBeGreaterThan(15)
    expect(schema.user?.properties.has('email')).toBe(true)
    for (const title of schema.events.keys()) expect(title).toMatch(/^[A-Z][\w-]*( [\w-]+)+$/)
  },
)

test('an order of the e-commerce template has its currency, total, and products', () => {
  const shop = templates.find(({ slug }) => slug === 'e-commerce')
  if (shop === undefined) throw new Error('no shop')
  const order = parseSourceSchema(templateSchema(shop)).events.get('Order Completed')
  expect([...(order?.required ?? [])].toSorted()).toEqual(['currency', 'order_id', 'products', 'total'])
  const items = order?.properties.get('products')?.items
  expect(items?.required).toEqual(new Set(['product_id']))
  expect(items?.recommended).toEqual(new Set(['sku', 'name', 'price', 'quantity']))
  expect(items?.properties.get('price')?.type).toBe('number')
})
