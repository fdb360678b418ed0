import { queryOptions } from '@tanstack/react-query'
import { methods } from '@tributary/contract'
import { call } from './client.ts'
import { product } from './query-client.ts'
import { keys } from './query-keys.ts'

/** How the realtime gateway is reached; read once and kept. */
export const realtimeQuery = () =>
  queryOptions({
    ...product,
    staleTime: Number.POSITIVE_INFINITY,
    queryKey: keys.realtime(),
    queryFn: ({ signal }) => call(methods.realtime.getConfig, { signal }),
  })
