import type { UseInfiniteQueryResult } from '@tanstack/react-query'
import { Button } from '../button.tsx'

/** Reads the next page of a list that comes by pages; nothing after the last. */
export const LoadMore = ({
  query,
}: {
  query: Pick<UseInfiniteQueryResult, 'hasNextPage' | 'isFetchingNextPage' | 'fetchNextPage'>
}) =>
  query.hasNextPage && (
    <div className="flex justify-center">
      <Button loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
        Load more
      </Button>
    </div>
  )
