import { amountOf, consentOf, type EventOutcome, isJsonObject, moneyOf } from '@tributary/connector-kit'

export { consentOf, moneyOf }

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

const spanText = (ms: number): string => (ms % dayMs === 0 ? `${ms / dayMs} days` : `${ms / hourMs} hours`)

/** Clocks of devices go a little ahead: such a time is taken for now. */
const aheadMs = 10 * minuteMs

/** When it happened, ms; what becomes of an event that is older than the platform takes, or in the future. */
export const momentOf = (time: string, now: number, oldestMs: number): number | EventOutcome => {
  const at = Date.parse(time)
  if (Number.isNaN(at)) return { kind: 'rejected', reason: 'The event has no valid time' }
  if (at > now + aheadMs) return { kind: 'rejected', reason: 'The time of the event is in the future' }
  if (now - at > oldestMs) return { kind: 'skipped', reason: `Older than ${spanText(oldestMs)}` }
  return Math.min(at, now)
}

/** What a setting says of events without consent. */
export type WithoutConsent = 'send' | 'leave_out'

/** What becomes of an event that a person has not agreed to; undefined where it may be sent. */
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
  typeof value === 'string' || typeof value === 'number' ? String(value).trim() || undefined : undefined

/** Products that a request has at most. */
const mostItems = 200

/** The products of an event, under the names that libraries have for them; what has no ID is left out. */
export const itemsOf = (given: readonly unknown[] = []): Item[] =>
  given.slice(0, mostItems).flatMap((each): Item[] => {
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
