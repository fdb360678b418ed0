import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { ErrorScreen } from './error-screen.tsx'

/** Shows a skeleton while a query loads, an error screen with a retry if it failed, otherwise its data. */
export const QueryView = <Data,>({
  query,
  skeleton,
  errorTitle,
  page = false,
  children,
}: {
  query: UseQueryResult<Data>
  skeleton: ReactNode
  errorTitle?: string
  /** Whether the content is the whole page with its heading. */
  page?: boolean
  children: (data: Data) => ReactNode
}) => {
  if (query.data !== undefined) return children(query.data)
  if (query.isError)
    return (
      <ErrorScreen
        page={page}
        error={query.error}
        onRetry={() => void query.refetch()}
        {...(errorTitle === undefined ? {} : { title: errorTitle })}
      />
    )
  return skeleton
}
