import type { AttributionRow } from '@tributary/contract'
import { expect, test } from 'vitest'
import { campaignRows, clickedByDay } from './attribution-rows.ts'

const row = (day: string, more: Partial<AttributionRow>): AttributionRow => ({
  day,
  signal: 's',
  signal_title: 'Orders',
  clicked_platform: 'google',
  utm_source: 'google',
  utm_medium: 'cpc',
  utm_campaign: 'spring',
  conversion_count: 1,
  amounts: [],
  ...more,
})
const rows = [
  row('20260301', { conversion_count: 2, amounts: [{ currency: 'USD', amount: 10 }] }),
  row('20260302', {
    conversion_count: 3,
    amounts: [
      { currency: 'USD', amount: 5 },
      { currency: 'EUR', amount: 1 },
    ],
  }),
  row('20260302', { clicked_platform: 'none', utm_source: '', utm_medium: '', utm_campaign: '', conversion_count: 9 }),
]

test('days are summed by platform and campaign, amounts by currency, most conversions first', () => {
  expect(campaignRows(rows)).toMatchObject([
    { clicked_platform: 'none', conversion_count: 9, amounts: [] },
    {
      clicked_platform: 'google',
      utm_campaign: 'spring',
      conversion_count: 5,
      amounts: [
        { currency: 'USD', amount: 15 },
        { currency: 'EUR', amount: 1 },
      ],
    },
  ])
})

test('every day of the range has a number for each platform, also without conversions', () => {
  const byDay = clickedByDay(rows, ['20260301', '20260302', '20260303'])
  expect(Object.fromEntries(byDay.map(({ platform, values }) => [platform, values]))).toEqual({
    google: [2, 3, 0],
    meta: [0, 0, 0],
    tiktok: [0, 0, 0],
    none: [0, 9, 0],
  })
})
