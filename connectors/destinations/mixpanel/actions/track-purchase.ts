import { defineAction, isJsonObject, type JsonObject, type OutgoingEvent } from '@tributary/connector-kit'
import { maxProducts } from '../../../wire/conversions/products.ts'
import { contextOf, eventGroups, sizeOf, trackFields, trackRecords } from '../event.ts'
import { insertId, personOf } from '../identity.ts'
import type { Made, Operation } from '../operation.ts'
import type { MixpanelSettings } from '../settings.ts'

export const trackPurchase = defineAction({
  name: 'track_purchase',
  title: 'Track purchase',
  description: 'Adds an event and, for each of its products, an event named Product Purchased.',
  customTargets: true,
  eventTypes: ['track'],
  fields: {
    ...trackFields,
    products: {
      label: 'Products',
      help: 'The list of products, by default products of the properties. Each becomes an event with its own properties.',
      type: 'array',
      kind: 'property',
    },
  },
})

/** Maximum bytes of the products of one event. */
const maxProductBytes = 256 * 1024
/** Maximum characters of a text that each product repeats. */
const maxRepeatedCharacters = 1000

/** The properties of an order that each of its products has, too (Segment, "Mixpanel (Actions)", Track Purchase). */
const orderNames = ['order_id', 'checkout_id', 'currency']

const isShort = (value: unknown): boolean => typeof value !== 'string' || value.length <= maxRepeatedCharacters

/** Returns the event of each product. Adds products that are not sent to `leftOut`. */
const productRecords = (
  payload: ReturnType<typeof trackPurchase.payloadOf>,
  settings: MixpanelSettings,
  leftOut: string[],
): Operation[] => {
  const { properties = {}, message_id: messageId } = payload
  const products = payload.products ?? (Array.isArray(properties['products']) ? properties['products'] : [])
  const listed = products.slice(0, maxProducts).filter(isJsonObject)
  if (listed.length < products.length)
    leftOut.push(
      `${products.length - listed.length} of ${products.length} products: more than ${maxProducts}, or no objects`,
    )
  const order = orderNames.flatMap((name) => (Object.hasOwn(properties, name) ? [[name, properties[name]]] : []))
  const shared: JsonObject = Object.fromEntries(
    [...Object.entries(contextOf(payload)), ...order].filter(([, value]) => isShort(value) && !isJsonObject(value)),
  )
  const operations: Operation[] = []
  let bytes = 0
  for (const [index, product] of listed.entries()) {
    const body = {
      event: 'Product Purchased',
      properties: {
        ...shared,
        ...eventGroups(payload, settings),
        ...product,
        ...personOf(payload, settings),
        time: Date.parse(payload.time),
        $insert_id: insertId(`${messageId}/${index}`),
      },
    }
    const size = sizeOf(body)
    if ('bytes' in size) bytes += size.bytes
    if ('problem' in size || bytes > maxProductBytes) {
      leftOut.push(`${listed.length - index} of ${products.length} products: too large`)
      break
    }
    operations.push({ endpoint: 'import', body, bytes: size.bytes })
  }
  return operations
}

/** Returns the event, and one for each product; or the reason why the event exceeds Mixpanel's limits. */
export const purchaseOperations = (outgoing: OutgoingEvent, settings: MixpanelSettings): Made => {
  const payload = trackPurchase.payloadOf(outgoing)
  const made = trackRecords(payload, trackPurchase.customOf(outgoing), settings)
  if ('problem' in made) return made
  const leftOut = [...(made.leftOut ?? [])]
  return { operations: [...made.operations, ...productRecords(payload, settings, leftOut)], leftOut }
}
