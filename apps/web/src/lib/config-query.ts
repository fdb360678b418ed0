import { queryOptions } from '@tanstack/react-query'
import { configCall, isClientConfig } from '@tributary/contract'
import { ask } from './client.ts'
import { product } from './query-client.ts'
import { keyOf } from './query-key.ts'

/** What is configured on the server; read once and kept. */
export const configQuery = () =>
  queryOptions({
    ...product,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
    queryKey: keyOf(configCall),
    queryFn: ({ signal }) => ask(configCall, { signal }, (json) => (isClientConfig(json) ? json : undefined)),
  })
