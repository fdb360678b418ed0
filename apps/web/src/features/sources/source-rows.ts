import type { Source } from '@tributary/contract'

/** The states of a source, the most urgent first. */
export const sourceStates = ['waiting', 'receiving', 'disabled'] as const
export type SourceState = (typeof sourceStates)[number]

/** The title of each state. */
export const stateTitles = {
  waiting: 'Waiting for data',
  receiving: 'Receiving',
  disabled: 'Disabled',
} as const satisfies Record<SourceState, string>

/** The state of a source. */
export const sourceState = ({ enabled, has_received }: Pick<Source, 'enabled' | 'has_received'>): SourceState =>
  !enabled ? 'disabled' : has_received ? 'receiving' : 'waiting'

/** The filters of the list; '' means no filter. `type` is the name of an app, `state` one of `sourceStates`. */
export type SourceFilters = { search: string; type: string; state: string }

/** The sources that match the filters. */
export const sourceRows = (sources: readonly Source[], { search, type, state }: SourceFilters): Source[] => {
  const wanted = search.trim().toLowerCase()
  return sources.filter(
    (source) =>
      `${source.title} ${source.app.display_name}`.toLowerCase().includes(wanted) &&
      (type === '' || source.app.display_name === type) &&
      (state === '' || sourceState(source) === state),
  )
}
