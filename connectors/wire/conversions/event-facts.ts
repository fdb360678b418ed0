import { amountOf, consentOf, type EventOutcome, isJsonObject, moneyOf, readTime } from '@tributary/connector-kit'

export { consentOf, moneyOf }

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

const spanText = (ms: number): string => (ms % dayMs === 0 ? `${ms / dayMs} days` : `${ms / hourMs} hours`)

/**
 * Time in ms by which a device clock may run ahead. An event time within this span of the future counts as the current
 * time.
 */
const aheadMs = 10 * minuteMs

/**
 * Returns the time of an event in epoch ms, or the outcome of an event that is too old for the platform, or in the
 * future.
 */
export const momentOf = (time: string, now: number, oldestMs: number): number | EventOutcome => {
  const at = readTime(time)
  if (at === undefined) return { kind: 'rejected', reason: 'The event has no valid time' }
  if (at > now + aheadMs) return { kind: 'rejected', reason: 'The time of the event is in the future' }
  if (now - at > oldestMs) return { kind: 'skipped', reason: `Older than ${spanText(oldestMs)}` }
  return Math.min(at, now)
}

/** The choice of a setting for events without consent. */
export type WithoutConsent = 'send' | 'leave_out'

/** Returns the outcome of an event without the user's consent; undefined if the event can be sent. */
export const consentOutcome = (value: unknown, without: WithoutConsent): EventOutcome | undefined => {
  const consent = consentOf(value)
  if (consent === 'denied') return { kind: 'skipped', reason: 'The person did not consent to sharing data for ads' }
  if (consent === 'none' && without === 'leave_out')
    return { kind: 'skipped', reason: 'The event says nothing of consent' }
  return undefined
}

/** A product of a conversion. */
export type Item = { id: string; name?: string; price?: number; quantity?: number; brand?: string; category?: string }

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' || typeof value === 'number' || value instanceof Number
    ? String(value).trim() || undefined
    : undefined

/** Maximum products of a request. */
const maxItems = 200

/** Returns the products of an event, from the names that libraries use; products without an ID are omitted. */
export const itemsOf = (given: readonly unknown[] = []): Item[] =>
  given.slice(0, maxItems).flatMap((each): Item[] => {
    if (!isJsonObject(each)) return []
    const first = (...names: string[]) => names.map((name) => textOf(each[name])).find((text) => text !== undefined)
    const id = first('product_id', 'item_id', 'content_id', 'id', 'sku')
    if (id === undefined) return []
    const [name, brand, category] = [first('name', 'item_name', 'title'), first('brand'), first('category')]
    const [price, quantity] = [amountOf(each['price'] ?? each['item_price']), amountOf(each['quantity'])]
    return [
      {
        id,
        ...(name === undefined ? {} : { name }),
        ...(price === undefined ? {} : { price }),
        ...(quantity === undefined ? {} : { quantity }),
        ...(brand === undefined ? {} : { brand }),
        ...(category === undefined ? {} : { category }),
      },
    ]
  })
