import type { UseInfiniteQueryResult } from '@tanstack/react-query'
import { Button } from '../button.tsx'

/** A button that loads the next page of a list. Shows nothing after the last page. */
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
