import type { Sync } from '@tributary/contract'
import { useObjectDetail } from '../use-object-detail.ts'

/** Shows what the destination reports about the object of the rows, such as how many people it has matched. */
export const ObjectFacts = ({ sync }: { sync: Sync }) => {
  const detail = useObjectDetail({
    destination: sync.destination.name,
    object: sync.object,
    objectName: sync.object_name,
  })
  if (detail === undefined || detail.facts.length === 0) return null
  return (
    <dl aria-label="At the destination" className="mb-4 flex flex-wrap gap-x-8 gap-y-2">
      {detail.facts.map(({ title, value }) => (
        <div key={title} className="min-w-0">
          <dt className="text-xs text-ink-3">{title}</dt>
          <dd className="text-sm break-words">{value}</dd>
        </div>
      ))}
    </dl>
  )
}
