import { useInfiniteQuery } from '@tanstack/react-query'
import { conversionStatuses, type Signal } from '@tributary/contract'
import { FileUp, Sparkles } from 'lucide-react'
import { useMemo, useState } from 'react'
import { ErrorScreen } from '../../components/error-screen.tsx'
import { useAddress } from '../../lib/browser/use-address.ts'
import { useTyped } from '../../lib/browser/use-typed.ts'
import { count, pluralise } from '../../lib/format/text.ts'
import { conversionsQuery } from '../../lib/queries/signal-queries.ts'
import { useMayEdit } from '../../lib/workspace.ts'
import { Button } from '../../ui/button.tsx'
import { SearchInput, Select } from '../../ui/forms/input.tsx'
import { Options } from '../../ui/forms/options.tsx'
import { LoadMore } from '../../ui/lists/load-more.tsx'
import { EmptyState } from '../../ui/page/empty-state.tsx'
import { TableSkeleton } from '../../ui/page/skeleton.tsx'
import { ConversionTable } from './conversion-table.tsx'
import { statusTitles } from './signal-words.ts'
import { UploadDialog } from './upload-dialog.tsx'

const filterNames = ['status', 'destination', 'event_id'] as const

/** The conversions of a signal, filtered by the URL, and the upload of offline ones. */
export const ConversionsTab = ({ signal }: { signal: Signal }) => {
  const mayEdit = useMayEdit() === true
  const [address, change] = useAddress(filterNames)
  const [uploads, setUploads] = useState(false)
  const typed = useTyped(address.event_id, (event_id) => change({ event_id }))
  const status = conversionStatuses.find((each) => each === address.status) ?? ''
  const destination = signal.platforms.find((each) => each.destination === address.destination)?.destination ?? ''
  const query = useInfiniteQuery(conversionsQuery(signal.name, { status, destination, event_id: address.event_id }))
  const rows = useMemo(() => query.data?.pages.flatMap(({ conversions }) => conversions) ?? [], [query.data])
  const narrowed = status !== '' || destination !== '' || address.event_id !== ''
  const upload = mayEdit && (
    <Button onClick={() => setUploads(true)}>
      <FileUp aria-hidden />
      Upload conversions
    </Button>
  )
  return (
    <div className="space-y-4">
      <search aria-label="Filters" className="flex flex-wrap items-center gap-2">
        <SearchInput label="Event ID" maxLength={300} {...typed} />
        <Select
          aria-label="Status"
          className="max-sm:min-w-32 max-sm:flex-1 sm:w-40"
          value={status}
          onChange={({ target }) => change({ status: target.value })}
        >
          <option value="">Any status</option>
          <Options of={conversionStatuses} title={(each) => statusTitles[each]} />
        </Select>
        <Select
          aria-label="Platform"
          className="max-sm:min-w-32 max-sm:flex-1 sm:w-48"
          value={destination}
          onChange={({ target }) => change({ destination: target.value })}
        >
          <option value="">All platforms</option>
          {signal.platforms.map((each) => (
            <option key={each.destination} value={each.destination}>
              {each.title}
            </option>
          ))}
        </Select>
        <span className="flex items-center gap-3 max-sm:w-full sm:ml-auto">
          {rows.length > 0 && (
            <output className="text-xs text-ink-3">
              {count(rows.length)} {pluralise(rows.length, 'conversion')} shown
            </output>
          )}
          {upload}
        </span>
      </search>
      {query.data === undefined ? (
        query.isError ? (
          <ErrorScreen
            error={query.error}
            onRetry={() => void query.refetch()}
            title="Failed to load the conversions"
          />
        ) : (
          <TableSkeleton rows={6} columns={4} />
        )
      ) : rows.length > 0 ? (
        <ConversionTable label="Conversions" conversions={rows} />
      ) : narrowed ? (
        <p className="rounded-lg border border-line bg-surface py-10 text-center text-ink-3">No conversions match.</p>
      ) : (
        <EmptyState icon={<Sparkles />} title="No conversions yet">
          {signal.enabled
            ? 'Each conversion is listed here with its outcome at each platform.'
            : 'Enable the signal. Each conversion is then listed here with its outcome at each platform.'}
        </EmptyState>
      )}
      <LoadMore query={query} />
      {uploads && <UploadDialog signal={signal} onClosed={() => setUploads(false)} />}
    </div>
  )
}
