import type { UseQueryResult } from '@tanstack/react-query'
import { CircleAlert } from 'lucide-react'
import { failureText } from '../../lib/api/errors.ts'
import { sentence } from '../../lib/format/text.ts'
import { Button } from '../button.tsx'

/** Shown in place of a list of choices that could not be loaded: the title, the reason, and a retry. */
export const LoadFailure = ({
  title,
  query,
  advice,
}: {
  title: string
  query: Pick<UseQueryResult, 'error' | 'isFetching' | 'refetch'>
  /** Further advice, as a sentence. */
  advice?: string
}) => (
  <div role="alert" className="flex flex-wrap items-center gap-x-4 gap-y-2 rounded-md bg-danger-soft px-3 py-2 text-sm">
    <CircleAlert aria-hidden className="size-4 shrink-0 text-danger-ink" />
    <p className="min-w-0 flex-1 basis-52 break-words text-danger-ink">
      <span className="font-medium">{title}.</span> {sentence(failureText(query.error))} {advice}
    </p>
    <Button size="sm" loading={query.isFetching} onClick={() => void query.refetch()}>
      Try again
    </Button>
  </div>
)
