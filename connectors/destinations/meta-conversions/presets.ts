import type { MappingPreset } from '@tributary/connector-kit'
import { anyOf } from '../../wire/conversions/person-places.ts'
import { namedPresets, pagePreset, standardPresets } from '../../wire/conversions/standard-events.ts'
import { fields } from './signals.ts'

/**
 * Meta's names of further events: "Standard Events" of the pixel (developers.facebook.com/docs/meta-pixel/reference).
 * No peer has event names for most of them: RudderStack lets users choose one of these names for an event
 * (rudder-transformer, `facebook_pixel/config.js`, OTHER_STANDARD_EVENTS). Segment sends `Callback Started` as a contact
 * (action-destinations, `tiktok-conversions/index.ts`).
 */
const furtherEvents = {
  'Callback Started': 'Contact',
  'Appointment Scheduled': 'Schedule',
  'Donation Made': 'Donate',
  // RudderStack sends a list of products so, too (`facebook_conversions/config.js`).
  'Product List Viewed': 'ViewContent',
  // PostHog sends a lead under this name, too (`meta_ads/meta.template.ts`).
  'Lead Generated': 'Lead',
  'Store Location Searched': 'FindLocation',
  'Application Submitted': 'SubmitApplication',
} as const

/** The events whose properties are those of one product, so that `properties.name` is the name of the product. */
const ofProduct = ['Product Viewed', 'Product Added', 'Product Added to Wishlist', 'Product Customized']

const withProductName = (preset: MappingPreset): MappingPreset =>
  ofProduct.includes(preset.eventName ?? '')
    ? {
        ...preset,
        fields: { ...preset.fields, content_name: anyOf('properties.content_name', 'properties.name') },
      }
    : preset

/** The presets that version 0.2.0 does not have. */
const addedPresets: readonly MappingPreset[] = [
  ...standardPresets('meta', 'send_conversion', fields, ['subscribe', 'start_trial', 'contact']),
  ...namedPresets({ ...furtherEvents, 'Product Customized': 'CustomizeProduct' }, 'send_conversion', fields),
  pagePreset('PageView', 'send_conversion', fields),
]

/** The mappings of a new destination. */
export const presets: MappingPreset[] = [
  ...standardPresets('meta', 'send_conversion', fields),
  ...addedPresets.map((preset) => ({ ...preset, since: 2 })),
].map(withProductName)
