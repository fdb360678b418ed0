import type { PlatformOption, SignalConversion } from '@tributary/contract'
import type { SignalDraft } from './draft.ts'

type Pixel = Pick<PlatformOption, 'platform' | 'event_name'>
type Of = Pick<SignalDraft, 'conversion' | 'value' | 'eventId' | 'events'>

const quoted = (text: string): string => `'${text.replaceAll(/[\\']/g, '\\$&')}'`

/** Returns a variable name for a path, made of the last name in the path: `order_id` for `properties.order_id`. */
const variableOf = (path: string): string => {
  const name = (path.trim().split('.').at(-1) ?? '').replaceAll(/\W+/g, '_')
  return /^[A-Za-z_]\w*$/.test(name) ? name : 'order_id'
}

const amountOf = ({ value }: Of): string[] => {
  if (value.type === 'none') return []
  if (value.type === 'fixed')
    return [
      `value: ${value.amount.trim().replace(',', '.')}`,
      `currency: ${quoted(value.currency.trim().toUpperCase())}`,
    ]
  const currency =
    value.currencyPath.trim() === '' ? quoted(value.currency.trim().toUpperCase()) : variableOf(value.currencyPath)
  return [`value: ${variableOf(value.amountPath)}`, `currency: ${currency}`]
}

const object = (entries: readonly string[]): string => (entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`)

const standardOf = (conversion: SignalConversion, name: string): boolean => conversion.type !== 'custom' && name !== ''

/**
 * Returns the call that a page makes of the script of a platform, for a conversion with this ID. Follows the
 * documentation of the platform.
 */
const callOf = ({ platform, event_name: name }: Pixel, of: Of, id: string): string => {
  const amount = amountOf(of)
  switch (platform) {
    // Meta, "Deduplicate Pixel and Server Events": eventID is in the fourth argument.
    case 'meta':
      return `fbq('${standardOf(of.conversion, name) ? 'track' : 'trackCustom'}', ${quoted(name)}, ${object(amount)}, { eventID: ${id} })`
    // TikTok, "Event Deduplication": event_id is in the third argument.
    case 'tiktok':
      return `ttq.track(${quoted(name)}, ${object(amount)}, { event_id: ${id} })`
    // Google Ads, "Use a transaction ID to minimize duplicate conversions".
    case 'google_ads':
      return `gtag('event', 'conversion', ${object([`send_to: 'AW-XXXXXXXXX/LABEL'`, ...amount, `transaction_id: ${id}`])})`
    // Google Analytics, "Minimize duplicate key events with transaction IDs".
    case 'google_analytics':
      return `gtag('event', ${quoted(name)}, ${object([...amount, `transaction_id: ${id}`])})`
  }
}

/**
 * The code for a page that also loads the platform's own script. Both send the same event ID, so that the platform
 * counts the conversion once. A message ID is the one that the website tag, or the SDK, has given to the event.
 */
export const pixelCode = (pixel: Pixel, of: Of): string => {
  if (of.eventId.type === 'path') return callOf(pixel, of, variableOf(of.eventId.path))
  const event = quoted(of.events[0]?.event_name || 'Order Completed')
  return [
    `const eventId = tributary.track(${event}, properties)`,
    `// With analytics.js: const eventId = (await analytics.track(${event}, properties)).event.messageId`,
    callOf(pixel, of, 'eventId'),
  ].join('\n')
}
