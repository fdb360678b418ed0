import type { MappingPreset } from '@tributary/connector-kit'
import { namedPresets, pagePreset, presetConversions, standardPresets } from '../../wire/conversions/standard-events.ts'
import { fields } from './signals.ts'

/**
 * TikTok's names of further events ("About supported standard events", ads.tiktok.com/help/article/
 * supported-standard-events). The events are those of Segment's presets (action-destinations,
 * `tiktok-conversions/index.ts`). A form is a `Lead`, because TikTok renamed `SubmitForm` in May 2025 ("How to adopt
 * TikTok's updated standard events"). By the same page, `ClickButton` and `PlaceAnOrder` are supported until 2027.
 */
const furtherEvents = {
  'Form Submitted': 'Lead',
  'Callback Started': 'Contact',
  'Product Clicked': 'ClickButton',
  'Order Placed': 'PlaceAnOrder',
  'Download Link Clicked': 'Download',
  'Appointment Scheduled': 'Schedule',
  'Store Location Searched': 'FindLocation',
  'Product Customized': 'CustomizeProduct',
  'Application Submitted': 'SubmitApplication',
} as const

/** The mappings of a new destination. `Pageview` is the name in TikTok's tag template (gtm-template-eapi). */
export const presets: MappingPreset[] = [
  ...standardPresets('tiktok', 'send_conversion', fields, [
    ...presetConversions,
    'subscribe',
    'start_trial',
    'contact',
  ]),
  ...namedPresets(furtherEvents, 'send_conversion', fields),
  pagePreset('Pageview', 'send_conversion', fields),
]
