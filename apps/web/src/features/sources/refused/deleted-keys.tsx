import { useQuery } from '@tanstack/react-query'
import { methods } from '@tributary/contract'
import { workspaceIds } from '../../../lib/format/names.ts'
import { query } from '../../../lib/queries/query.ts'
import { RefusedTable } from './refused-table.tsx'

/** The refused requests with keys of deleted sources of the workspace. */
const refusedOfDeletedQuery = (workspace: string) =>
  query(
    methods.refusedRequests.list,
    { params: workspaceIds(workspace), query: { page_size: 200, source_deleted: 'true' } },
    { refetchInterval: 10_000, read: ({ refused_requests }) => refused_requests },
  )

/** Refused requests with write keys of deleted sources of the workspace. Shows nothing if there are none. */
export const DeletedKeys = ({ workspace }: { workspace: string }) => {
  const { data: rows = [] } = useQuery(refusedOfDeletedQuery(workspace))
  if (rows.length === 0) return null
  return (
    <section aria-labelledby="deleted-keys" className="mt-8">
      <h2 id="deleted-keys" className="text-base font-semibold">
        Still sent to deleted sources
      </h2>
      <p className="mt-0.5 mb-3 text-sm text-ink-2">
        Requests in the last 24 hours that used a deleted source's write key. They were not stored. Give their senders
        another source's key.
      </p>
      <RefusedTable label="Still sent to deleted sources" rows={rows} />
    </section>
  )
}
