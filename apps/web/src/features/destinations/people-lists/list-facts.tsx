import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { methods } from '@tributary/contract'
import { RefreshCw } from 'lucide-react'
import { peopleListQuery } from '../../../components/people-lists/people-list.ts'
import { call } from '../../../lib/api/client.ts'
import { destinationIds } from '../../../lib/format/names.ts'
import { Button } from '../../../ui/button.tsx'
import { WithCode } from '../../../ui/code/with-code.tsx'
import { notifyRefusal } from '../../../ui/overlays/toast.tsx'
import { Skeleton } from '../../../ui/page/skeleton.tsx'
import { RelativeTime } from '../../../ui/relative-time.tsx'

/** Asks the platform again, and shows the answer in place of the earlier one. */
const useRefresh = (destination: string, id: string) => {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: () =>
      call(methods.peopleLists.get, {
        params: { ...destinationIds(destination), people_list: id },
        query: { fresh: 'true' },
      }),
    onSuccess: (answer) => cache.setQueryData(peopleListQuery(destination, id).queryKey, answer),
    onError: (error) => notifyRefusal('Could not ask the platform', error),
  })
}

/** What the platform says of a list of people, such as how many of them it matched, and when it was asked. */
export const ListFacts = ({ destination, id }: { destination: string; id: string }) => {
  const { data, isError } = useQuery(peopleListQuery(destination, id))
  const refresh = useRefresh(destination, id)
  if (isError) return <p className="text-sm text-ink-2">The platform could not be asked. Reload the page to retry.</p>
  if (data === undefined)
    return (
      <div aria-busy className="space-y-2">
        <Skeleton className="h-4 w-56" />
        <Skeleton className="h-4 w-40" />
      </div>
    )
  return (
    <div className="space-y-3">
      {data.message !== '' && (
        <p role="alert" className="text-sm break-words text-danger-ink">
          <WithCode text={data.message} />
        </p>
      )}
      {data.facts.length > 0 && (
        <dl className="grid grid-cols-[minmax(7rem,auto)_1fr] gap-x-6 gap-y-1.5 text-sm">
          {data.facts.map(({ title, value }) => (
            <div key={title} className="contents">
              <dt className="text-ink-2">{title}</dt>
              <dd className="min-w-0 break-words tabular">{value}</dd>
            </div>
          ))}
        </dl>
      )}
      <p className="flex flex-wrap items-center gap-x-3 gap-y-2 text-xs text-ink-3">
        <span>
          Asked <RelativeTime time={data.read_time} />
        </span>
        <Button size="sm" loading={refresh.isPending} onClick={() => refresh.mutate()}>
          <RefreshCw aria-hidden />
          Refresh
        </Button>
      </p>
    </div>
  )
}
