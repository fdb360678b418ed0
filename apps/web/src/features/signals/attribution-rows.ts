import { type AttributionRow, clickedPlatforms } from '@tributary/contract'

type Clicked = AttributionRow['clicked_platform']

/** The titles of click platforms. */
export const clickedTitles: Readonly<Record<Clicked, string>> = {
  google: 'Google',
  meta: 'Meta',
  tiktok: 'TikTok',
  none: 'No click',
}

/** Conversions of one platform and campaign, over all days. */
export type CampaignRow = Pick<
  AttributionRow,
  'clicked_platform' | 'utm_source' | 'utm_medium' | 'utm_campaign' | 'conversion_count' | 'amounts'
> & { id: string }

const added = (one: AttributionRow['amounts'], other: AttributionRow['amounts']): AttributionRow['amounts'] => {
  const sums = new Map<string, number>()
  for (const { currency, amount } of [...one, ...other]) sums.set(currency, (sums.get(currency) ?? 0) + amount)
  return [...sums].map(([currency, amount]) => ({ currency, amount }))
}

/** Sums rows of all days by platform and campaign, most conversions first. */
export const campaignRows = (rows: readonly AttributionRow[]): CampaignRow[] => {
  const found = new Map<string, CampaignRow>()
  for (const { clicked_platform, utm_source, utm_medium, utm_campaign, conversion_count, amounts } of rows) {
    const id = JSON.stringify([clicked_platform, utm_source, utm_medium, utm_campaign])
    const before = found.get(id)
    found.set(id, {
      id,
      clicked_platform,
      utm_source,
      utm_medium,
      utm_campaign,
      conversion_count: (before?.conversion_count ?? 0) + conversion_count,
      amounts: added(before?.amounts ?? [], amounts),
    })
  }
  return [...found.values()].toSorted((one, other) => other.conversion_count - one.conversion_count)
}

/** Conversions by platform of the click, for each of these days in order. */
export const clickedByDay = (
  rows: readonly AttributionRow[],
  days: readonly string[],
): { platform: Clicked; values: number[] }[] =>
  clickedPlatforms.map((platform) => {
    const counts = new Map<string, number>()
    for (const row of rows)
      if (row.clicked_platform === platform) counts.set(row.day, (counts.get(row.day) ?? 0) + row.conversion_count)
    return { platform, values: days.map((day) => counts.get(day) ?? 0) }
  })
