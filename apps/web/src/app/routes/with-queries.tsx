import { QueryClientProvider } from '@tanstack/react-query'
import { type ReactNode, useEffect } from 'react'
import { Outlet } from 'react-router'
import { queryClient, readAgainWhenBack } from '../query-client.ts'

/** Provides the cache of server state. */
export const Queries = ({ children }: { children: ReactNode }) => (
  <QueryClientProvider client={queryClient}>{children}</QueryClientProvider>
)

/** The layout of all pages that show server data of a user. */
export const WithQueries = () => {
  useEffect(readAgainWhenBack, [])
  return (
    <Queries>
      <Outlet />
    </Queries>
  )
}
