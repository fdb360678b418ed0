import type { ApiClient } from '@tributary/test-kit'

type Source = { type: 'FIELD' | 'VARIABLE' | 'PROFILE'; name: string } | { type: 'TEMPLATE'; value: string }

const field = (id: string, name: string, source: Source): object => ({ id, source, target: { name } })

const of = (name: string): Source => ({ type: 'FIELD', name })

/** The fields of a typical mapping of an order for a user's own endpoint, without templates. */
const orderFields = [
  field('fld1', 'messageId', { type: 'VARIABLE', name: 'message_id' }),
  field('fld2', 'user', { type: 'VARIABLE', name: 'user_key' }),
  field('fld3', 'time', { type: 'VARIABLE', name: 'timestamp' }),
  field('fld4', 'order.id', of('properties.orderId')),
  field('fld5', 'order.total', of('properties.total')),
  field('fld6', 'order.lines', of('properties.products')),
  field('fld7', 'page', of('context.page.url')),
]

/** A typical mapping of an order: eight fields, of which one is a template. */
const orderMapping = {
  id: 'ordr',
  event_name: 'Order Completed',
  destination: 'send',
  field_mappings: [
    ...orderFields,
    field('fld8', 'title', {
      type: 'TEMPLATE',
      value: '{{ properties.orderId | upcase }}: {{ properties.total }} {{ properties.currency | downcase }}',
    }),
  ],
}

/** Saves the benchmarks' mapping for a destination. */
export const mapOrders = async (api: ApiClient, destination: string): Promise<void> => {
  await api.ok('PUT', `/${destination}/mappings`, { event_mappings: [orderMapping] })
}

/** Where a mapping takes four of its fields: from the profile of the user, or from the event. */
export const personSources = {
  profile: ['traits.email', 'traits.phone', 'traits.plan', 'identifiers.user_id'].map(
    (name): Source => ({ type: 'PROFILE', name }),
  ),
  event: ['context.page.title', 'context.locale', 'context.campaign.name', 'userId'].map(of),
} as const

/** Saves a mapping of every event for a destination: eight fields, of which four come from these sources. */
export const mapPersons = async (
  api: ApiClient,
  destination: string,
  sources: (typeof personSources)['profile' | 'event'],
): Promise<void> => {
  const names = ['email', 'phone', 'plan', 'id']
  const fields = names.flatMap((name, place) => {
    const source = sources[place]
    return source === undefined ? [] : [field(`own${place}`, `person.${name}`, source)]
  })
  const mapping = {
    id: 'prsn',
    event_name: '',
    destination: 'send',
    field_mappings: [...orderFields.slice(0, 4), ...fields],
  }
  await api.ok('PUT', `/${destination}/mappings`, { event_mappings: [mapping] })
}

/** Saves a mapping with as many fields as a conversion has, for a destination. */
export const mapManyFields = async (api: ApiClient, destination: string, count: number): Promise<void> => {
  const names = [
    'properties.currency',
    'properties.coupon',
    'context.page.title',
    'context.page.path',
    'context.locale',
    'context.userAgent',
    'context.campaign.source',
    'context.campaign.medium',
    'context.campaign.name',
    'anonymousId',
  ]
  const more = Array.from({ length: count - orderFields.length }, (_, place) =>
    field(`m${String(place).padStart(3, '0')}`, `more.field${place}`, of(names[place % names.length] ?? '')),
  )
  const mapping = { id: 'many', event_name: '', destination: 'send', field_mappings: [...orderFields, ...more] }
  await api.ok('PUT', `/${destination}/mappings`, { event_mappings: [mapping] })
}
