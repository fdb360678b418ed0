import { useQuery } from '@tanstack/react-query'
import { count } from '../../../lib/format/text.ts'
import { violationsQuery } from '../../../lib/queries/schema-queries.ts'
import { Badge } from '../../../ui/badge.tsx'

/** Time in ms between two counts, because each count reads a month of events. */
const countMs = 60_000

/** The number of violations that the schema does not allow yet, beside the name of the tab. */
export const ViolationCount = ({ source }: { source: string }) => {
  const { data } = useQuery({ ...violationsQuery(source), refetchInterval: countMs })
  const open = data?.rows.filter((row) => row.fixed_in_version === null).length ?? 0
  if (open === 0) return null
  return (
    <Badge tone="warning">
      {count(open)}
      <span className="sr-only"> open</span>
    </Badge>
  )
}
