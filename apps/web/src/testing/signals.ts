import type { PlatformOption, Signal, SignalPreview } from '@tributary/contract'

const time = '2026-01-01T00:00:00Z'

/** A destination of Meta that signals can be sent to. */
export const metaOption: PlatformOption = {
  destination: 'workspaces/w1/destinations/meta',
  title: 'Meta EU',
  app_icon: '',
  platform: 'meta',
  enabled: true,
  event_name: 'Purchase',
  has_test_code: true,
  takes_refunds: false,
  event_id_target: 'event_id',
  pixel_parameter: 'eventID',
  max_age_days: 7,
  api_version: 'v24.0',
  api_version_end: '2026-10-01',
  api_notice: 'Version v24.0 of the API of Meta ends on 2026-10-01',
  action: {
    name: 'send_conversion',
    title: 'Send conversion',
    description: '',
    targets: [],
    custom_targets: false,
    whole_event: false,
    event_types: [],
  },
  field_mappings: [],
}

/** A signal that sends orders to the destination of Meta. */
export const aSignal: Signal = {
  name: 'workspaces/w1/signals/g1',
  title: 'Orders',
  score: 7.5,
  enabled: true,
  state: 'enabled',
  conversion: { type: 'purchase', custom_name: '' },
  trigger: {
    type: 'events',
    sources: ['workspaces/w1/sources/shop'],
    events: [{ event_type: 'track', event_name: 'Order Completed' }],
    filters: [],
    filter_match: 'all',
  },
  trigger_titles: [{ name: 'workspaces/w1/sources/shop', title: 'Shop', target_product: 'SIGNALS', missing: false }],
  value: {
    type: 'event',
    amount_path: 'properties.total',
    currency_path: 'properties.currency',
    currency: 'USD',
  },
  event_id: { type: 'path', path: 'properties.order_id' },
  refunds: null,
  platforms: [
    {
      destination: metaOption.destination,
      title: metaOption.title,
      app: { display_name: 'Meta Conversions API', extra: { app_icon: '' } },
      platform: 'meta',
      event_name: '',
      shown_event_name: 'Purchase',
      test_event_code: '',
      has_test_code: true,
      field_mappings: [],
      is_preset: true,
      enabled: true,
      problem: '',
    },
  ],
  recent_counts: [0, 0, 0, 0, 0, 0, 3],
  last_conversion_time: time,
  revision: 4,
  author: '',
  warnings: [],
  create_time: time,
  update_time: time,
}

/** A preview of the signal: one of two conversions would be sent. */
export const aPreview: SignalPreview = {
  looked_at_count: 5,
  conversion_count: 2,
  repeated_count: 1,
  platforms: [
    {
      destination: metaOption.destination,
      title: metaOption.title,
      platform: 'meta',
      score: 6.4,
      conversion_count: 2,
      identifiers: [{ identifier: 'email', count: 1, share: 0.5 }],
      advice: [{ identifier: 'phone', text: 'Add phone: +18% of conversions', gain: 1.2 }],
      sent_count: 1,
      not_sent: [{ reason: 'too_old', text: 'Older than the platform accepts', count: 1 }],
    },
  ],
  sample: [],
  warnings: [],
}
