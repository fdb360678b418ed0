import { useQuery } from '@tanstack/react-query'
import { ShieldCheck } from 'lucide-react'
import { QueryView } from '../../../components/query-view.tsx'
import { refusedQuery } from '../../../lib/queries/event-queries.ts'
import { EmptyState } from '../../../ui/page/empty-state.tsx'
import { TableSkeleton } from '../../../ui/page/skeleton.tsx'
import { LeftOut } from './left-out.tsx'
import { RefusedTable } from './refused-table.tsx'

/**
 * Where users look for missing events: rejected requests by reason with the last sample, and events that were not
 * stored.
 */
export const RefusedTab = ({ source }: { source: string }) => {
  const query = useQuery(refusedQuery(source))
  return (
    <div className="space-y-8">
      <section aria-labelledby="refused-requests">
        <h2 id="refused-requests" className="text-base font-semibold">
          Refused
        </h2>
        <p className="mt-0.5 mb-3 text-sm text-ink-2">
          Requests answered with an error. They were not stored, so the sender must send them again.
        </p>
        <QueryView
          query={query}
          skeleton={<TableSkeleton rows={3} columns={3} />}
          errorTitle="Failed to load the refused requests"
        >
          {(rows) =>
            rows.length === 0 ? (
              <EmptyState icon={<ShieldCheck />} title="No refused requests" className="py-8">
                Every request in the last 24 hours was accepted. Wrong keys, invalid JSON, and oversized requests appear
                here with how to fix them.
              </EmptyState>
            ) : (
              <RefusedTable label="Refused requests" rows={rows} />
            )
          }
        </QueryView>
      </section>
      <LeftOut source={source} />
    </div>
  )
}
