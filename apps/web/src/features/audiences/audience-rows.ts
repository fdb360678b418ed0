import type { AudienceSummary } from '@tributary/contract'

/** The filters of the list; '' is no filter. */
export type AudienceFilters = { search: string; state: string }

/** Audiences with the text in the title, in the chosen state. */
export const audienceRows = <Row extends Pick<AudienceSummary, 'title' | 'state'>>(
  audiences: readonly Row[],
  { search, state }: AudienceFilters,
): Row[] => {
  const wanted = search.trim().toLowerCase()
  return audiences.filter(
    (audience) => audience.title.toLowerCase().includes(wanted) && (state === '' || audience.state === state),
  )
}
