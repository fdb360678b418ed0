import { formatSourceSchema, parseSourceSchema } from '@tributary/contract'
import { expect, test } from 'vitest'
import { additionsOf, proposalOf, withProposal } from './schema-proposal.ts'

const parse = (events: object, user?: object) =>
  parseSourceSchema(JSON.stringify({ events, ...(user ? { user } : {}) }))
const object = (properties: object, required: string[] = []) => ({
  type: 'object',
  properties,
  required,
  recommended: [],
})
const string = { type: 'string' }
const number = { type: 'number' }
const array = (fields: object) => ({ type: 'array', items: object(fields) })

const current = parse({
  Order: object({ total: { ...string, description: 'With tax' }, unused: string, products: array({ sku: string }) }, [
    'total',
  ]),
  Kept: object({ a: string }),
})
const found = parse(
  {
    Order: object({ total: number, coupon: string, products: array({ sku: string, price: number }) }, ['coupon']),
    Signup: object({ plan: string, lines: array({ id: string }) }),
    Kept: object({ a: string }),
    Bare: object({}),
  },
  object({ email: string }),
)
const counts = [
  { title: 'Order', count: 12 },
  { title: '', count: 3 },
]
const proposal = proposalOf(current, found, counts)

test('a proposal has the missing and different parts of the schema, and none of the equal ones', () => {
  expect(
    proposal.map(({ event, isNew, count, properties }) => ({
      event,
      isNew,
      count,
      properties: properties.map(({ place, before, field }) =>
        [place.parent, place.property, before?.type, field.type].filter(Boolean).join(' '),
      ),
    })),
  ).toEqual([
    { event: undefined, isNew: true, count: 3, properties: ['email string'] },
    {
      event: 'Order',
      isNew: false,
      count: 12,
      properties: ['total string number', 'coupon string', 'products price number'],
    },
    { event: 'Signup', isNew: true, count: 0, properties: ['plan string', 'lines array'] },
    { event: 'Bare', isNew: true, count: 0, properties: [] },
  ])
})

test('all additions are selected at first, changes of existing parts are not, and nothing is removed', () => {
  const accepted = JSON.parse(formatSourceSchema(withProposal(current, proposal, additionsOf(proposal))))
  expect(accepted).toEqual({
    events: {
      Order: object(
        {
          total: { ...string, description: 'With tax' },
          unused: string,
          products: array({ sku: string, price: number }),
          coupon: string,
        },
        ['total', 'coupon'],
      ),
      Kept: object({ a: string }),
      Signup: object({ plan: string, lines: array({ id: string }) }),
      Bare: object({}),
    },
    user: object({ email: string }),
  })
})

test('a selected change keeps the description and the requirement of a property', () => {
  const total = proposal.flatMap(({ properties }) => properties).find(({ place }) => place.property === 'total')
  const accepted = withProposal(current, proposal, new Set([total?.id ?? '']))
  expect(JSON.parse(formatSourceSchema(accepted)).events.Order).toEqual(
    object({ total: { ...number, description: 'With tax' }, unused: string, products: array({ sku: string }) }, [
      'total',
    ]),
  )
  expect([...accepted.events.keys()]).toEqual(['Order', 'Kept'])
})

test('a property with values of several types shows the share that would not match; a property of one type shows nothing', () => {
  const mixed = [
    {
      id: '/events/Order/properties/coupon',
      types: [
        { type: 'string', count: 3 },
        { type: 'number', count: 1 },
      ],
    },
    {
      id: '/events/Signup/properties/lines/items/properties/id',
      types: [
        { type: 'string', count: 1 },
        { type: 'boolean', count: 1 },
      ],
    },
  ] as const
  const signup = proposalOf(current, found, counts, mixed).find(({ event }) => event === 'Signup')
  expect(signup?.properties.map(({ others }) => others)).toEqual([
    undefined,
    [{ name: 'id', type: 'boolean', share: 0.5 }],
  ])
  const order = proposalOf(current, found, counts, mixed).find(({ event }) => event === 'Order')
  expect(order?.properties.map(({ place, others }) => [place.property, others])).toEqual([
    ['total', undefined],
    ['coupon', [{ type: 'number', share: 0.25 }]],
    ['price', undefined],
  ])
})
