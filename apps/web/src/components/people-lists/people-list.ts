import { type Destination, methods } from '@tributary/contract'
import { destinationIds } from '../../lib/format/names.ts'
import { query } from '../../lib/queries/query.ts'

/** The lists of people of a destination whose set-up is complete, and the list for events. */
export type ListsOf = { setting: string; title: string; maxTitle: number; chosen: string }

/** Returns what a destination says of its lists of people; undefined if it has none, or cannot be asked yet. */
export const listsOf = ({ app, state, grant }: Destination): ListsOf | undefined => {
  const { people_lists: lists, settings } = app
  if (lists === null || state !== 'ready' || (grant !== null && grant.status !== 'connected')) return undefined
  const value = settings.find(({ name }) => name === lists.setting)?.value
  return {
    setting: lists.setting,
    title: lists.title,
    maxTitle: lists.max_title,
    chosen: typeof value === 'string' ? value.trim() : '',
  }
}

/** Returns a title at the beginning of a sentence. */
export const atStart = (title: string): string => title.slice(0, 1).toUpperCase() + title.slice(1)

/** Maximum number of lists that a search returns. More typed text narrows the search. */
const foundLimit = 100

/** The lists at the platform that match a text. */
export const peopleListsQuery = (destination: string, search: string) =>
  query(
    methods.peopleLists.list,
    { params: destinationIds(destination), query: { search, page_size: foundLimit } },
    { staleTime: 30_000, wait: 300 },
  )

/** What the platform says of a list. */
export const peopleListQuery = (destination: string, id: string) =>
  query(methods.peopleLists.get, { params: { ...destinationIds(destination), people_list: id } }, { staleTime: 60_000 })
