import { expect, it } from 'vitest'
import { listedDestinations } from './index.ts'

/**
 * The presets that version 0.2.0 has, as action, type, and name of the event. This list does not change: destinations of
 * that version use only these presets until a user adds others.
 */
const presetsOf020: Readonly<Record<string, readonly string[]>> = {
  'google-ads': ['upload_conversion track Order Completed'],
  'google-analytics': [
    'send_event track Order Completed',
    'send_event track Product Added',
    'send_event track Checkout Started',
    'send_event track Payment Info Entered',
    'send_event track Product Viewed',
    'send_event track Products Searched',
    'send_event track Product Added to Wishlist',
    'send_event track Signed Up',
    'send_event track Lead Created',
    'send_event track Order Refunded',
  ],
  'google-sheets': ['write_row track '],
  hubspot: ['upsert_contact identify '],
  'meta-conversions': [
    'send_conversion track Order Completed',
    'send_conversion track Product Added',
    'send_conversion track Checkout Started',
    'send_conversion track Payment Info Entered',
    'send_conversion track Product Viewed',
    'send_conversion track Products Searched',
    'send_conversion track Product Added to Wishlist',
    'send_conversion track Signed Up',
    'send_conversion track Lead Created',
  ],
  'meta-custom-audiences': ['add_person identify '],
  mixpanel: ['alias alias ', 'group group ', 'identify identify ', 'track page ', 'track screen ', 'track track '],
  mysql: ['upsert_row  '],
  postgresql: ['write_event  '],
  rudderstack: ['forward  '],
  s3: ['write_line  '],
  segment: ['forward  '],
  slack: ['send_message track '],
  'tiktok-events': [
    'send_conversion track Order Completed',
    'send_conversion track Product Added',
    'send_conversion track Checkout Started',
    'send_conversion track Payment Info Entered',
    'send_conversion track Product Viewed',
    'send_conversion track Products Searched',
    'send_conversion track Product Added to Wishlist',
    'send_conversion track Signed Up',
    'send_conversion track Lead Created',
  ],
  webhook: ['send  '],
}

it('a preset that version 0.2.0 does not have says since when it is there, and the others say nothing', async () => {
  const shown = Object.fromEntries(
    await Promise.all(
      listedDestinations.map(async ({ slug, load }) => {
        const { presets } = await load()
        const earlier = presets.filter(({ since = 1 }) => since === 1)
        return [
          slug,
          earlier.map(({ action, eventType = '', eventName = '' }) => `${action} ${eventType} ${eventName}`).toSorted(),
        ] as const
      }),
    ),
  )
  // A destination that 0.2.0 does not have can have any preset.
  const expected = Object.fromEntries(Object.entries(presetsOf020).map(([slug, names]) => [slug, names.toSorted()]))
  expect(shown).toMatchObject(expected)
})
