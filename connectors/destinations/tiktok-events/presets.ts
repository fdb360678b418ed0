import type { MappingPreset } from '@tributary/connector-kit'
import { namedPresets, pagePreset, standardPresets } from '../../wire/conversions/standard-events.ts'
import { fields } from './signals.ts'

/**
 * TikTok's names of further events ("About supported standard events", ads.tiktok.com/help/article/
 * supported-standard-events). The events are those of Segment's presets (action-destinations,
 * `tiktok-conversions/index.ts`). A form is a `Lead`, because TikTok renamed `SubmitForm` in May 2025 ("How to adopt
 * TikTok's updated standard events"). By the same page, `ClickButton` and `PlaceAnOrder` are supported until 2027.
 */
const furtherEvents = {
  'Form Submitted': 'Lead',
  'Lead Generated': 'Lead',
  'Callback Started': 'Contact',
  'Product Clicked': 'ClickButton',
  'Order Placed': 'PlaceAnOrder',
  'Download Link Clicked': 'Download',
  'Appointment Scheduled': 'Schedule',
  'Store Location Searched': 'FindLocation',
  'Product Customized': 'CustomizeProduct',
  'Application Submitted': 'SubmitApplication',
} as const

/** The events that only apps have, with the names of Segment's presets (`tiktok-app-events/index.ts`). */
const appEvents = {
  'Application Installed': 'InstallApp',
  'Application Opened': 'LaunchAPP',
  'Signed In': 'Login',
} as const

/** The fields that an event of an app without an order does not have. */
const ofOrders: ReadonlySet<string> = new Set(['contents', 'one_product', 'order_id', 'price_of_one'])

/**
 * The presets that version 0.2.0 does not have. `Pageview` is the name in TikTok's tag template (gtm-template-eapi).
 */
const addedPresets: readonly MappingPreset[] = [
  ...standardPresets('tiktok', 'send_conversion', fields, ['subscribe', 'start_trial', 'contact']),
  ...namedPresets(furtherEvents, 'send_conversion', fields),
  ...namedPresets(appEvents, 'send_conversion', {
    ...Object.fromEntries(Object.entries(fields).filter(([name]) => !ofOrders.has(name))),
    event_source: { type: 'CONSTANT', value: 'app' },
  }).map((preset) => ({
    ...preset,
    // A website can send events of these names, too.
    conditions: [{ field: 'context.app.namespace', operator: 'exists', value: '' }] as const,
  })),
  pagePreset('Pageview', 'send_conversion', fields),
  // Off by default: each step of a checkout would count. It is RudderStack's own mapping (tiktok_ads, config.js).
  ...namedPresets({ 'Checkout Step Completed': 'Purchase' }, 'send_conversion', fields).map((preset) => ({
    ...preset,
    enabled: false as const,
  })),
]

/** The mappings of a new destination. */
export const presets: MappingPreset[] = [
  ...standardPresets('tiktok', 'send_conversion', fields),
  ...addedPresets.map((preset) => ({ ...preset, since: 2 })),
]
