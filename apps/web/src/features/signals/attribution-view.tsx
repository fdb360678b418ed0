import { useMutation, useQuery } from '@tanstack/react-query'
import { methods } from '@tributary/contract'
import { Download, MousePointerClick } from 'lucide-react'
import { useMemo } from 'react'
import { QueryView } from '../../components/query-view.tsx'
import { call } from '../../lib/api/client.ts'
import { saveFile } from '../../lib/browser/save-file.ts'
import { useMask } from '../../lib/browser/ui-store.ts'
import { useAddress } from '../../lib/browser/use-address.ts'
import { rangeOf } from '../../lib/format/date-range.ts'
import { count } from '../../lib/format/text.ts'
import { type AttributionOf, attributionInput, attributionQuery } from '../../lib/queries/signal-queries.ts'
import { useWorkspace } from '../../lib/workspace.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { BarChart } from '../../ui/charts/bar-chart.tsx'
import type { ChartPart } from '../../ui/charts/chart-parts.ts'
import { MetricValue } from '../../ui/charts/metric.tsx'
import { Select } from '../../ui/forms/input.tsx'
import { type Column, DataTable } from '../../ui/lists/data-table.tsx'
import { notifyRefusal } from '../../ui/overlays/toast.tsx'
import { EmptyState } from '../../ui/page/empty-state.tsx'
import { CardSkeleton } from '../../ui/page/skeleton.tsx'
import { type CampaignRow, campaignRows, clickedByDay, clickedTitles } from './attribution-rows.ts'
import { moneys } from './signal-words.ts'
import { useDays } from './use-days.tsx'

const tones: Readonly<Record<CampaignRow['clicked_platform'], ChartPart['tone']>> = {
  google: 'accent',
  meta: 'success',
  tiktok: 'warning',
  none: 'neutral',
}

const parameter = (
  id: 'utm_source' | 'utm_medium' | 'utm_campaign',
  header: string,
  wide: boolean | 'lg',
): Column<CampaignRow> => ({
  id,
  header,
  value: (row) => row[id],
  cell: (row) =>
    row[id] === '' ? (
      <span className="text-ink-3">–</span>
    ) : (
      <span className="block truncate" title={row[id]}>
        {row[id]}
      </span>
    ),
  width: 'sm:w-36',
  wide,
})

const Amounts = ({ amounts }: Pick<CampaignRow, 'amounts'>) => {
  const masked = useMask((state) => state.on)
  if (amounts.length === 0) return <span className="text-ink-3">–</span>
  return masked ? '••••' : moneys(amounts)
}

const columns: readonly Column<CampaignRow>[] = [
  {
    ...parameter('utm_campaign', 'Campaign', false),
    width: '',
    cell: ({ utm_campaign, clicked_platform }) => (
      <span className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1 py-1.5">
        <span className="max-w-full truncate font-medium" title={utm_campaign}>
          {utm_campaign === '' ? 'No campaign' : utm_campaign}
        </span>
        <Badge className="sm:hidden">{clickedTitles[clicked_platform]}</Badge>
      </span>
    ),
  },
  {
    id: 'clicked',
    header: 'Click',
    value: ({ clicked_platform }) => clickedTitles[clicked_platform],
    cell: ({ clicked_platform }) => clickedTitles[clicked_platform],
    width: 'sm:w-28',
    wide: true,
  },
  parameter('utm_source', 'Source', 'lg'),
  parameter('utm_medium', 'Medium', 'lg'),
  {
    id: 'conversions',
    header: 'Conversions',
    value: ({ conversion_count }) => conversion_count,
    cell: ({ conversion_count }) => <MetricValue value={conversion_count} />,
    align: 'right',
    width: 'sm:w-32',
  },
  {
    id: 'value',
    header: 'Value',
    cell: ({ amounts }) => <Amounts amounts={amounts} />,
    align: 'right',
    width: 'sm:w-40',
    wide: true,
  },
]

const idOf = ({ id }: CampaignRow): string => id
const names = ['touch'] as const

/** The clicks to which conversions are attributed over a range of days, of one signal or, with '', of all. */
export const AttributionView = ({ signal, title }: { signal: string; title: string }) => {
  const workspace = useWorkspace().name
  const [preset, choice] = useDays()
  const masked = useMask((state) => state.on)
  const [address, change] = useAddress(names)
  const touch = address.touch === 'first' ? 'first' : 'last'
  const of: AttributionOf = { workspace, signal, touch }
  const query = useQuery(attributionQuery(of, preset))
  const rows = query.data?.rows
  const campaigns = useMemo(() => campaignRows(rows ?? []), [rows])
  const download = useMutation<void, Error, void>({
    mutationFn: async () => {
      const { params, query: asked } = attributionInput(of)
      const { start_date, end_date } = rangeOf(preset, Date.now())
      const file = await call(methods.signals.exportAttribution, {
        params,
        query: { ...asked, 'start_date.seconds': start_date.seconds, 'end_date.seconds': end_date.seconds },
      })
      saveFile(file.file_name, file.content, 'text/csv')
    },
    onError: (error) => notifyRefusal('Could not download the attribution', error),
  })
  return (
    <section aria-label={`Attribution of ${title}`} className="space-y-5">
      <div className="flex flex-wrap items-center gap-2">
        <Select
          aria-label="Click that counts"
          className="w-36 max-sm:w-40"
          value={touch}
          onChange={({ target }) => change({ touch: target.value === 'first' ? 'first' : '' })}
        >
          <option value="last">Last click</option>
          <option value="first">First click</option>
        </Select>
        {choice}
        <Button
          className="sm:ml-auto"
          disabled={campaigns.length === 0}
          loading={download.isPending}
          onClick={() => download.mutate()}
        >
          <Download aria-hidden />
          Download CSV
        </Button>
      </div>
      <QueryView query={query} skeleton={<CardSkeleton lines={8} />} errorTitle="Failed to load the attribution">
        {({ rows: found, truncated, buckets: days }) =>
          found.length === 0 ? (
            <EmptyState icon={<MousePointerClick />} title="No conversions in this range">
              Conversions are shown here by the ad that was clicked before: its platform and its campaign parameters.
            </EmptyState>
          ) : (
            <>
              <Card title="Conversions by clicked platform" description="By day of the conversion, in UTC.">
                <BarChart
                  label="Conversions by clicked platform and day"
                  buckets={days}
                  masked={masked}
                  parts={clickedByDay(found, days).map(({ platform, values }) => ({
                    title: clickedTitles[platform],
                    tone: tones[platform],
                    values,
                  }))}
                />
              </Card>
              <DataTable label="Campaigns" columns={columns} rows={campaigns} rowId={idOf} />
              {truncated && (
                <p className="text-xs text-ink-3">
                  The first {count(found.length)} rows. Choose a shorter range to see the others.
                </p>
              )}
            </>
          )
        }
      </QueryView>
    </section>
  )
}
