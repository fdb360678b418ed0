import {
  type InfiniteData,
  infiniteQueryOptions,
  type QueryClient,
  type QueryKey,
  queryOptions,
  type UndefinedInitialDataInfiniteOptions,
  type UndefinedInitialDataOptions,
} from '@tanstack/react-query'
import type { Method, MethodResponse, Methods } from '@tributary/contract'
import { type CallInput, call } from '../api/client.ts'
import { everyPage } from './every-page.ts'
import { product } from './query-client.ts'
import { type Given, type Key, keyOf } from './query-key.ts'

/** The input of a method, without the signal. */
export type Input<M extends Method> = Omit<CallInput<M>, 'signal'>

/** The input of a page of a list, except for the position of the page. */
type PageInput<M extends Method> = Omit<Input<M>, 'query'> & { query?: object }

/** The options by which a query can differ from others, each with the meaning that it has in TanStack Query. */
type Ways<Data> = Pick<
  UndefinedInitialDataOptions<Data, Error, Data, Key>,
  'staleTime' | 'gcTime' | 'retryOnMount' | 'refetchInterval'
>

/**
 * A part of the query that depends on the time of the call (`now`, Unix time in ms), and the value `of` that stands for
 * it in the key.
 */
type Clocked = { of: unknown; at: (now: number) => object }

const clockedQuery = (query: object | undefined, clocked: Clocked | undefined): object => ({
  ...query,
  ...clocked?.at(Date.now()),
})

/**
 * Calls a method with a query that has an added part. The given part has the type of the method; the caller has checked
 * the added part.
 */
const callWith = <M extends Method>(method: M, input: object, signal: AbortSignal): Promise<MethodResponse<M>> =>
  call(method, { ...input, signal } as CallInput<M>)

/**
 * A query of a method. The function `read` selects the cached part of the response. The delay `wait` before the call,
 * in ms, avoids a call for each typed key.
 */
export const query = <M extends Method, Data = MethodResponse<M>>(
  method: M,
  input: Input<M>,
  {
    read,
    wait,
    clocked,
    ...ways
  }: { read?: (answer: MethodResponse<M>) => Data; wait?: number; clocked?: Clocked } & Ways<Data> = {},
) =>
  queryOptions({
    ...product,
    ...ways,
    queryKey: keyOf(method, { ...input, of: clocked?.of } as Given),
    queryFn: async ({ signal }): Promise<Data> => {
      if (wait !== undefined) await new Promise((resolve) => setTimeout(resolve, wait))
      signal.throwIfAborted()
      const given = clocked === undefined ? input : { ...input, query: clockedQuery((input as Given).query, clocked) }
      const answer = await callWith(method, given, signal)
      // Without `read`, the type Data is that of the response.
      return read === undefined ? (answer as Data) : read(answer)
    },
  })

/** A query of every row of a list, read page after page. */
export const rowsQuery = <M extends Method, Row>(
  method: M,
  input: PageInput<M>,
  rows: (answer: MethodResponse<M>) => Row[],
  ways: Ways<Row[]> = {},
) =>
  queryOptions({
    ...product,
    ...ways,
    queryKey: keyOf(method, input as Given),
    queryFn: ({ signal }): Promise<Row[]> =>
      everyPage(async (page) => {
        const answer = await callWith(method, { ...input, query: { ...input.query, ...page } }, signal)
        return { rows: rows(answer), next: nextOf(answer) }
      }),
  })

/** The token of the next page; every list of the contract has one. */
const nextOf = (answer: unknown): string => (answer as { next_page_token?: string }).next_page_token ?? ''

/** Queries a list by pages. Further pages are read on request. */
export const pagesQuery = <M extends Method>(
  method: M,
  input: PageInput<M>,
  {
    clocked,
    ...ways
  }: { clocked?: Clocked } & Pick<
    UndefinedInitialDataInfiniteOptions<MethodResponse<M>, Error, InfiniteData<MethodResponse<M>, string>, Key, string>,
    'refetchInterval'
  > = {},
) =>
  infiniteQueryOptions({
    ...product,
    staleTime: 0,
    ...ways,
    queryKey: keyOf(method, { ...input, of: clocked?.of } as Given),
    initialPageParam: '',
    queryFn: ({ signal, pageParam }) =>
      callWith(method, { ...input, query: { ...clockedQuery(input.query, clocked), page_token: pageParam } }, signal),
    getNextPageParam: (page) => nextOf(page) || undefined,
  })

/**
 * Returns the placeholder of a filtered list while it loads: the previous pages, if they had no rows. So the button of
 * an empty list that removes the filters stays in place. A press on the button makes the field report its text, which
 * starts a query. If that replaced the button, the click would be lost.
 */
export const stillEmpty =
  <Page>(narrowed: boolean, rowsOf: (page: Page) => readonly unknown[]) =>
  (before: InfiniteData<Page, string> | undefined): InfiniteData<Page, string> | undefined =>
    narrowed && before?.pages.every((page) => rowsOf(page).length === 0) === true ? before : undefined

/**
 * Reloads all cached queries of these resources below `params`; without `params`, all queries of these resources. Does
 * not wait for the responses.
 */
export const refresh = (
  cache: QueryClient,
  resources: readonly (keyof Methods)[],
  params: Readonly<Record<string, string>> = {},
): void => {
  for (const resource of resources) void cache.invalidateQueries({ queryKey: [resource, params] })
}

/** Removes a row from a cached list before the server has deleted it. The returned `restore` puts the row back. */
export const removeRow = async (cache: QueryClient, list: QueryKey, row: string) => {
  await cache.cancelQueries({ queryKey: list })
  const before = cache.getQueryData<readonly { name: string }[]>(list)
  if (before !== undefined)
    cache.setQueryData(
      list,
      before.filter(({ name }) => name !== row),
    )
  return {
    restore: (): void => {
      if (before !== undefined) cache.setQueryData(list, before)
    },
  }
}
