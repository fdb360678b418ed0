import { useQuery } from '@tanstack/react-query'
import { methods } from '@tributary/contract'
import { useSession } from '../../../lib/people/session.ts'
import { userQuery } from '../../../lib/queries/account-queries.ts'
import { query } from '../../../lib/queries/query.ts'
import { RefusedTable } from './refused-table.tsx'

/** For platform admins: refused requests without a source. */
const unownedRefusedQuery = () =>
  query(
    methods.refusedRequests.listUnowned,
    { query: { page_size: 200 } },
    { refetchInterval: 10_000, read: ({ refused_requests }) => refused_requests },
  )

/**
 * For platform admins: refused requests that belong to no source, such as those with an unknown write key. Shows
 * nothing if there are none.
 */
export const UnknownKeys = () => {
  const user = useSession((state) => state.currentUserResourceName)
  const { data: me } = useQuery({ ...userQuery(user ?? ''), enabled: user !== null })
  const { data: rows = [] } = useQuery({ ...unownedRefusedQuery(), enabled: me?.is_admin === true })
  if (rows.length === 0) return null
  return (
    <section aria-labelledby="unknown-keys" className="mt-8">
      <h2 id="unknown-keys" className="text-base font-semibold">
        Refused: unknown write key
      </h2>
      <p className="mt-0.5 mb-3 text-sm text-ink-2">
        Requests to this installation in the last 24 hours with a write key that belongs to no source. Only platform
        admins see these.
      </p>
      <RefusedTable label="Refused: unknown write key" rows={rows} />
    </section>
  )
}
