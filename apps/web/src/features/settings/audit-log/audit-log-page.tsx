import { useInfiniteQuery, useMutation } from '@tanstack/react-query'
import { type AuditRecord, methods, type Organization } from '@tributary/contract'
import { Download, History } from 'lucide-react'
import { useMemo, useState } from 'react'
import { ErrorScreen } from '../../../components/error-screen.tsx'
import { useTyped } from '../../../lib/browser/use-typed.ts'
import { organizationIds } from '../../../lib/format/names.ts'
import { type AuditFilters } from '../../../lib/queries/organization-queries.ts'
import { pagesQuery } from '../../../lib/queries/query.ts'
import { useWorkspace } from '../../../lib/workspace.ts'
import { Badge } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/button.tsx'
import { Input, SearchInput, Select } from '../../../ui/forms/input.tsx'
import { type Column, DataTable } from '../../../ui/lists/data-table.tsx'
import { LoadMore } from '../../../ui/lists/load-more.tsx'
import { notify, notifyRefusal } from '../../../ui/overlays/toast.tsx'
import { EmptyState } from '../../../ui/page/empty-state.tsx'
import { PageHeader } from '../../../ui/page/page-header.tsx'
import { TableSkeleton } from '../../../ui/page/skeleton.tsx'
import { RelativeTime } from '../../../ui/relative-time.tsx'
import { actionText, actorText, auditedResources, resourceText } from './audit-words.ts'
import { exportAuditLog, maxExportedRecords } from './export-audit-log.ts'
import { RecordDialog } from './record-dialog.tsx'

/** The audit log of an organization, newest first, by pages of 50. */
const auditRecordsQuery = (organization: string, filters: AuditFilters) =>
  pagesQuery(methods.auditRecords.list, {
    params: organizationIds(organization),
    query: { page_size: 50, ...filters },
  })

const columns: readonly Column<AuditRecord>[] = [
  {
    id: 'action',
    header: 'What',
    cell: (record) => (
      <span className="block min-w-0 py-1.5">
        <span className="block truncate">{actionText(record.action)}</span>
        <span className="block truncate text-xs text-ink-3" title={record.resource}>
          {[...(record.workspace === null ? [] : [record.workspace.title]), resourceText(record.resource)].join(' · ')}
        </span>
        <span className="block truncate text-xs text-ink-2 sm:hidden">{actorText(record)}</span>
      </span>
    ),
  },
  {
    id: 'actor',
    header: 'Who',
    cell: (record) => (
      <span className="flex min-w-0 flex-wrap items-center gap-1.5">
        <span className="min-w-0 break-words">{actorText(record)}</span>
        {record.on_behalf_of !== null && <Badge tone="warning">Staff</Badge>}
        {record.actor.kind === 'key' && <Badge>API key</Badge>}
      </span>
    ),
    wide: true,
    width: 'sm:w-72',
  },
  {
    id: 'ip',
    header: 'From',
    cell: ({ ip }) => <span className="text-ink-2">{ip}</span>,
    wide: 'lg',
    width: 'lg:w-36',
  },
  {
    id: 'time',
    header: 'Time',
    cell: ({ time }) => <RelativeTime time={time} className="text-ink-2" />,
    align: 'right',
    width: 'sm:w-32',
    className: 'whitespace-nowrap',
  },
]

const idOf = ({ id }: AuditRecord): string => id

/** Returns the time in UTC at which a day begins in the time zone of the user, or the day that is `days` later. */
const dayStart = (day: string, days = 0): string => {
  const date = new Date(`${day}T00:00:00`)
  date.setDate(date.getDate() + days)
  return date.toISOString()
}

const DayInput = ({ label, value, onChange }: { label: string; value: string; onChange: (day: string) => void }) => (
  <label className="flex min-w-0 items-center gap-2 text-sm text-ink-2 max-sm:flex-col max-sm:items-stretch max-sm:gap-1">
    {label}
    <Input type="date" value={value} onChange={({ target }) => onChange(target.value)} />
  </label>
)

const Filters = ({ filters, onChange }: { filters: AuditFilters; onChange: (filters: AuditFilters) => void }) => {
  const [days, setDays] = useState({ from: '', to: '' })
  const who = useTyped(filters.actor ?? '', (actor) => onChange({ ...filters, actor }))
  const object = useTyped(filters.resource ?? '', (resource) => onChange({ ...filters, resource }))
  const pick = (next: { from: string; to: string }): void => {
    setDays(next)
    const { start_time: _start, end_time: _end, ...rest } = filters
    onChange({
      ...rest,
      ...(next.from === '' ? {} : { start_time: dayStart(next.from) }),
      ...(next.to === '' ? {} : { end_time: dayStart(next.to, 1) }),
    })
  }
  return (
    <search aria-label="Filters" className="flex flex-wrap items-center gap-2">
      <SearchInput label="Search by person or key" maxLength={200} {...who} />
      <SearchInput label="Search by object" maxLength={300} {...object} />
      <Select
        aria-label="What"
        className="max-sm:flex-1 sm:w-44"
        value={filters.action ?? ''}
        onChange={({ target }) => onChange({ ...filters, action: target.value })}
      >
        <option value="">Every change</option>
        {auditedResources.map(({ value, title }) => (
          <option key={value} value={value}>
            {title}
          </option>
        ))}
      </Select>
      <Select
        aria-label="By"
        className="max-sm:flex-1 sm:w-36"
        value={filters.by ?? ''}
        onChange={({ target }) => {
          const { by: _by, ...rest } = filters
          onChange(target.value === 'staff' || target.value === 'keys' ? { ...rest, by: target.value } : rest)
        }}
      >
        <option value="">By anyone</option>
        <option value="staff">By staff</option>
        <option value="keys">By API keys</option>
      </Select>
      <span className="grid gap-2 max-sm:w-full max-sm:grid-cols-2 sm:flex">
        <DayInput label="From" value={days.from} onChange={(from) => pick({ ...days, from })} />
        <DayInput label="To" value={days.to} onChange={(to) => pick({ ...days, to })} />
      </span>
    </search>
  )
}

const Records = ({ organization, filters }: { organization: Organization; filters: AuditFilters }) => {
  const query = useInfiniteQuery(auditRecordsQuery(organization.name, filters))
  const [shown, setShown] = useState<AuditRecord | undefined>()
  const rows = useMemo(() => query.data?.pages.flatMap((page) => page.audit_records) ?? [], [query.data])
  if (query.data === undefined && query.isError)
    return <ErrorScreen error={query.error} onRetry={() => void query.refetch()} title="Failed to load the audit log" />
  if (query.data === undefined) return <TableSkeleton rows={8} columns={3} />
  const days = query.data.pages[0]?.retention_days ?? null
  return (
    <>
      {rows.length === 0 ? (
        <EmptyState icon={<History />} title="No records">
          No change fits these filters.
        </EmptyState>
      ) : (
        <DataTable label="Audit log" columns={columns} rows={rows} rowId={idOf} onRow={setShown} />
      )}
      <LoadMore query={query} />
      <p className="text-xs text-ink-3">
        {days === null ? 'Records are kept forever.' : `Records are kept for ${days} days on your plan.`}
      </p>
      {shown !== undefined && <RecordDialog record={shown} onClosed={() => setShown(undefined)} />}
    </>
  )
}

const Content = ({ organization }: { organization: Organization }) => {
  const [filters, setFilters] = useState<AuditFilters>({})
  const save = useMutation({
    mutationFn: () => exportAuditLog(organization, filters),
    onSuccess: (isMore) => {
      if (isMore) notify('info', `The file has the newest ${maxExportedRecords} records. Choose dates for the others`)
    },
    onError: (error) => notifyRefusal('Could not export the audit log', error),
  })
  return (
    <>
      <PageHeader
        title="Audit log"
        description={`Who changed what in ${organization.display_name}: members, staff, and API keys.`}
        action={
          <Button loading={save.isPending} onClick={() => save.mutate()}>
            <Download aria-hidden />
            Export CSV
          </Button>
        }
      />
      <div className="space-y-4">
        <Filters filters={filters} onChange={setFilters} />
        <Records organization={organization} filters={filters} />
      </div>
    </>
  )
}

/**
 * The audit log of the organization: each action with its user, the organization for which staff acted, and the IP
 * address.
 */
export const AuditLogPage = () => {
  const { organization } = useWorkspace()
  if (organization === null) return <ErrorScreen page error={new Error('No organization found')} />
  return <Content organization={organization} />
}
