import { useInfiniteQuery, useMutation } from '@tanstack/react-query'
import { methods, type Sync, type SyncRun, type SyncRunRow, syncLimits } from '@tributary/contract'
import { Download } from 'lucide-react'
import { useEffect, useMemo, useRef, useState } from 'react'
import { QueryView } from '../../../components/query-view.tsx'
import { useAddress } from '../../../lib/browser/use-address.ts'
import { useTyped } from '../../../lib/browser/use-typed.ts'
import { syncRunIds } from '../../../lib/format/names.ts'
import { count } from '../../../lib/format/text.ts'
import { pagesQuery } from '../../../lib/queries/query.ts'
import { isRunning, type RowFilters } from '../../../lib/queries/sync-queries.ts'
import { Badge } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/button.tsx'
import { SearchInput, Select } from '../../../ui/forms/input.tsx'
import { Options } from '../../../ui/forms/options.tsx'
import { type Column, DataTable } from '../../../ui/lists/data-table.tsx'
import { LoadMore } from '../../../ui/lists/load-more.tsx'
import { notify, notifyRefusal } from '../../../ui/overlays/toast.tsx'
import { TableSkeleton } from '../../../ui/page/skeleton.tsx'
import { changeTitles, outcomeTitles, outcomeTones } from '../sync-words.ts'
import { AttemptDialog } from './attempt-dialog.tsx'
import { exportRows, maxExportedRows } from './export-rows.ts'

/** Reads the rows of a run, except unchanged ones, by pages of 50. `moving` is whether their outcomes still change. */
const syncRunRowsQuery = (run: string, { key, outcome }: RowFilters, moving: boolean) =>
  pagesQuery(
    methods.syncRuns.listRows,
    {
      params: syncRunIds(run),
      query: { page_size: 50, ...(key === '' ? {} : { key }), ...(outcome === '' ? {} : { outcome }) },
    },
    { refetchInterval: moving ? 3000 : false },
  )

type Row = SyncRunRow & { id: string }

const columnsWith = (onLook: (row: Row) => void): readonly Column<Row>[] => [
  {
    id: 'key',
    header: 'Key',
    cell: ({ key, source_key, reason }) => (
      <span className="block min-w-0 py-1.5">
        <span className="block truncate font-mono text-xs" title={key === '' ? source_key : key}>
          {key === '' ? source_key === '' ? <span className="text-ink-3">None</span> : source_key : key}
        </span>
        {reason !== '' && <span className="block text-xs break-words text-ink-2">{reason}</span>}
      </span>
    ),
  },
  {
    id: 'change',
    header: 'Change',
    cell: ({ change, rows }) => (
      <span className="text-ink-2">
        {changeTitles[change]}
        {rows > 1 && ` (${count(rows)} rows)`}
      </span>
    ),
    width: 'sm:w-52',
    wide: true,
  },
  {
    id: 'outcome',
    header: 'Outcome',
    cell: (row) => (
      <span className="flex flex-wrap items-center gap-2">
        <Badge tone={outcomeTones[row.outcome]}>{outcomeTitles[row.outcome]}</Badge>
        {(row.outcome === 'rejected' || row.outcome === 'retrying') && (
          <Button variant="none" size="sm" onClick={() => onLook(row)}>
            Response
          </Button>
        )}
      </span>
    ),
    width: 'sm:w-48',
  },
]

const idOf = ({ id }: Row): string => id
const names = ['key', 'outcome'] as const
const outcomes = Object.keys(outcomeTitles) as SyncRunRow['outcome'][]

const emptyWords = ({ counts, planned }: SyncRun, filtered: boolean): string => {
  if (filtered) return 'No rows match. Search for a whole key.'
  const same = counts !== null && counts.read === counts.unchanged && (planned?.removed ?? 0) === 0
  return same ? 'All rows are unchanged.' : `Rows are kept for the last ${syncLimits.runs} runs.`
}

const Export = ({ sync, run, filters }: { sync: Sync; run: SyncRun; filters: RowFilters }) => {
  const file = useMutation({
    mutationFn: () => exportRows(run.name, sync.title, filters),
    onSuccess: (more) => {
      if (more) notify('info', `The file has the first ${count(maxExportedRows)} rows`)
    },
    onError: (error) => notifyRefusal('Could not export the rows', error),
  })
  return (
    <Button className="sm:ml-auto" loading={file.isPending} onClick={() => file.mutate()}>
      <Download aria-hidden />
      Export CSV
    </Button>
  )
}

/**
 * Lists the rows of a run, except unchanged ones, with the reason for each outcome. Filters select them by key and
 * outcome.
 */
export const RowLog = ({ sync, run }: { sync: Sync; run: SyncRun }) => {
  const [{ key, outcome }, change] = useAddress(names)
  const typed = useTyped(key, (text) => change({ key: text }))
  const wanted = outcomes.find((each) => each === outcome) ?? ''
  const moving = isRunning(run)
  const query = useInfiniteQuery(syncRunRowsQuery(run.name, { key, outcome: wanted }, moving))
  const { data, refetch } = query
  const hasMoved = useRef(moving)
  // The last page may have been read before the run ended, so it is read again.
  useEffect(() => {
    if (hasMoved.current && !moving) void refetch()
    hasMoved.current = moving
  }, [moving, refetch])
  const rows = useMemo(
    () => data?.pages.flatMap((page) => page.rows).map((row) => ({ ...row, id: String(row.number) })) ?? [],
    [data],
  )
  const [shown, setShown] = useState<Row | undefined>()
  const columns = useMemo(() => columnsWith(setShown), [])
  return (
    <section aria-labelledby="row-log" className="space-y-4">
      <div>
        <h2 id="row-log" className="text-base font-semibold">
          Row log
        </h2>
        <p className="text-sm text-ink-2">Rows that changed or could not be sent. Unchanged rows are not listed.</p>
      </div>
      <search aria-label="Filters" className="flex flex-wrap items-center gap-2">
        <SearchInput label="Search by key" maxLength={1000} {...typed} />
        <Select
          aria-label="Outcome"
          className="max-sm:flex-1 sm:w-40"
          value={wanted}
          onChange={({ target }) => change({ outcome: target.value })}
        >
          <option value="">Any outcome</option>
          <Options of={outcomes} title={(each) => outcomeTitles[each]} />
        </Select>
        {rows.length > 0 && <Export sync={sync} run={run} filters={{ key, outcome: wanted }} />}
      </search>
      <QueryView query={query} skeleton={<TableSkeleton columns={3} />} errorTitle="Failed to load the rows">
        {() => (
          <div className="space-y-4">
            <DataTable
              label="Rows"
              columns={columns}
              rows={rows}
              rowId={idOf}
              empty={emptyWords(run, key !== '' || wanted !== '')}
            />
            <LoadMore query={query} />
          </div>
        )}
      </QueryView>
      {shown !== undefined && <AttemptDialog run={run} row={shown} onClosed={() => setShown(undefined)} />}
    </section>
  )
}
