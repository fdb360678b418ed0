import type { AudienceSummary } from '@tributary/contract'

/** What the list is narrowed by; '' is no filter. */
export type AudienceFilters = { search: string; state: string }

/** Audiences whose title has the text, in the state that is asked for. */
export const audienceRows = <Row extends Pick<AudienceSummary, 'title' | 'state'>>(
  audiences: readonly Row[],
  { search, state }: AudienceFilters,
): Row[] => {
  const wanted = search.trim().toLowerCase()
  return audiences.filter(
    (audience) => audience.title.toLowerCase().includes(wanted) && (state === '' || audience.state === state),
  )
}
