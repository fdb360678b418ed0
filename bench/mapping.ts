import type { ApiClient } from '@tributary/test-kit'

type Source = { type: 'FIELD' | 'VARIABLE'; name: string } | { type: 'TEMPLATE'; value: string }

const field = (id: string, name: string, source: Source): object => ({ id, source, target: { name } })

/** A typical mapping of an order for a user's own endpoint: eight fields, of which one is a template. */
const orderMapping = {
  id: 'ordr',
  event_name: 'Order Completed',
  destination: 'send',
  field_mappings: [
    field('fld1', 'messageId', { type: 'VARIABLE', name: 'message_id' }),
    field('fld2', 'user', { type: 'VARIABLE', name: 'user_key' }),
    field('fld3', 'time', { type: 'VARIABLE', name: 'timestamp' }),
    field('fld4', 'order.id', { type: 'FIELD', name: 'properties.orderId' }),
    field('fld5', 'order.total', { type: 'FIELD', name: 'properties.total' }),
    field('fld6', 'order.lines', { type: 'FIELD', name: 'properties.products' }),
    field('fld7', 'page', { type: 'FIELD', name: 'context.page.url' }),
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
