import { useQuery } from '@tanstack/react-query'
import { type RangePreset, viewOf } from '../../../lib/format/date-range.ts'
import { count } from '../../../lib/format/text.ts'
import { leftOutQuery } from '../../../lib/queries/event-queries.ts'
import { Card } from '../../../ui/card.tsx'

/** The range of the counts while the list shows deliveries of any time. */
const defaultRange: RangePreset = '30days'

/**
 * The reasons why parts of events were left out, with counts. A click on a reason limits the list of
 * deliveries to it. A destination whose events were complete shows nothing.
 */
export const LeftOut = ({
  destination,
  range,
  chosen,
  onChoose,
}: {
  destination: string
  range: RangePreset | ''
  /** The reason to which the list is limited; '' for none. */
  chosen: string
  onChoose: (filters: { left_out: string; range?: string }) => void
}) => {
  const preset = range === '' ? defaultRange : range
  const { data = [] } = useQuery(leftOutQuery(destination, preset))
  // A reason from the address is shown, too, so that it can be removed.
  const isMissing = chosen !== '' && data.every(({ reason }) => reason !== chosen)
  const rows = isMissing ? [{ reason: chosen, delivery_count: 0 }, ...data] : data
  if (rows.length === 0) return null
  return (
    <Card
      title="Sent without"
      description={`Parts that were left out of delivered events, by reason. ${viewOf(preset).title}.`}
    >
      <ul aria-label="Sent without" className="-mx-2 max-h-56 overflow-y-auto">
        {rows.map(({ reason, delivery_count }) => (
          <li key={reason}>
            <button
              type="button"
              aria-pressed={reason === chosen}
              className="flex w-full items-baseline justify-between gap-4 rounded-md px-2 py-1 text-left text-sm hover:bg-hover aria-pressed:bg-accent-soft"
              onClick={() => onChoose(reason === chosen ? { left_out: '' } : { left_out: reason, range: preset })}
            >
              <span className="min-w-0 wrap-anywhere">{reason}</span>
              <span className="shrink-0 font-medium tabular">{count(delivery_count)}</span>
            </button>
          </li>
        ))}
      </ul>
    </Card>
  )
}
