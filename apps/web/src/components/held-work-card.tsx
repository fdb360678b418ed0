import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type HeldWork, maxHeldWorkReleases, methods } from '@tributary/contract'
import { Link } from 'react-router'
import { call } from '../lib/api/client.ts'
import { heldWorkIds } from '../lib/format/names.ts'
import { count } from '../lib/format/text.ts'
import { refresh } from '../lib/queries/query.ts'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { notify, notifyRefusal } from '../ui/overlays/toast.tsx'
import { RelativeTime, useCurrentTime } from '../ui/relative-time.tsx'

const isTooEarly = ({ release_time: time }: HeldWork, now: number): boolean => time !== null && Date.parse(time) > now

const useRelease = () => {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: ({ name }: HeldWork) => call(methods.heldWork.release, { params: heldWorkIds(name), body: {} }),
    onSuccess: (_answer, { title }) =>
      notify('success', 'Retry Started', { description: `${title} is retried within ten seconds.` }),
    onError: (error) => notifyRefusal('Could not try again', error),
    onSettled: () => refresh(cache, ['heldWork']),
  })
}

/** Work that is set aside, with the reason and, for permitted users, a retry. Shows nothing if there is none. */
export const HeldWorkCard = ({
  rows,
  mayRelease,
  showsWorkspace = false,
}: {
  rows: readonly HeldWork[]
  mayRelease: boolean
  showsWorkspace?: boolean
}) => {
  const release = useRelease()
  const now = useCurrentTime()
  if (rows.length === 0) return null
  return (
    <Card
      title="Set aside"
      description="This stopped Tributary twice or could not be processed. It is not retried automatically. Each item can be retried 3 times in 24 hours, one item at a time."
    >
      <ul aria-label="Set aside" className="-my-3 divide-y divide-line">
        {rows.map((row) => (
          <li
            key={`${row.name} ${row.title} ${row.hold_time}`}
            className="flex flex-wrap items-center gap-3 py-3 text-sm"
          >
            <div className="min-w-0 flex-1">
              <p className="font-medium break-words">
                {row.target === '' ? (
                  row.title
                ) : (
                  <Link to={`/${row.target}`} className="hover:underline">
                    {row.title}
                  </Link>
                )}
                {showsWorkspace && row.workspace_title !== '' && (
                  <span className="font-normal text-ink-3">, {row.workspace_title}</span>
                )}
              </p>
              <p className="break-words text-ink-2">{row.reason}</p>
              <p className="text-xs text-ink-3">
                {count(row.times)} times, set aside <RelativeTime time={row.hold_time} />
                {row.releases > 0 && (
                  <>
                    , retried {count(row.releases)} of {maxHeldWorkReleases} times in 24 hours
                  </>
                )}
                {row.release_time !== null && (
                  <>
                    . Can be retried <RelativeTime time={row.release_time} upcoming past="now" />
                  </>
                )}
              </p>
            </div>
            {mayRelease && row.name !== '' && (
              <Button
                size="sm"
                aria-label={`Try ${row.title} again`}
                disabled={release.isPending || isTooEarly(row, now)}
                onClick={() => release.mutate(row)}
              >
                Try again
              </Button>
            )}
            {row.name === '' && <code className="font-mono text-xs">npm run set-aside</code>}
          </li>
        ))}
      </ul>
    </Card>
  )
}
