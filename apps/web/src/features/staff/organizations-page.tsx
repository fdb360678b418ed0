import { useInfiniteQuery } from '@tanstack/react-query'
import { type FoundOrganization, methods } from '@tributary/contract'
import { Building2 } from 'lucide-react'
import { useMemo, useState } from 'react'
import { Link } from 'react-router'
import { ErrorScreen } from '../../components/error-screen.tsx'
import { useTyped } from '../../lib/browser/use-typed.ts'
import { slugOf } from '../../lib/format/names.ts'
import { count, pluralise } from '../../lib/format/text.ts'
import { paths } from '../../lib/paths.ts'
import { pagesQuery } from '../../lib/queries/query.ts'
import { useWorkspace } from '../../lib/workspace.ts'
import { Badge } from '../../ui/badge.tsx'
import { SearchInput } from '../../ui/forms/input.tsx'
import { type Column, DataTable } from '../../ui/lists/data-table.tsx'
import { LoadMore } from '../../ui/lists/load-more.tsx'
import { EmptyState } from '../../ui/page/empty-state.tsx'
import { PageHeader } from '../../ui/page/page-header.tsx'
import { TableSkeleton } from '../../ui/page/skeleton.tsx'

/** Organizations whose title matches a search, newest first, by pages of 50, for staff. */
const foundOrganizationsQuery = (search: string) =>
  pagesQuery(methods.organizations.find, { query: { page_size: 50, search } })

const amount = (value: number, noun: string): string => `${count(value)} ${pluralise(value, noun)}`

/** The problems of an organization, as texts; empty when there are none. */
export const problemsOf = ({ health }: Pick<FoundOrganization, 'health'>): string[] => [
  ...(health.dead_letters === 0 ? [] : [amount(health.dead_letters, 'dead letter')]),
  ...(health.failed_syncs === 0 ? [] : [amount(health.failed_syncs, 'failed sync')]),
  ...(health.refused_requests === 0 ? [] : [amount(health.refused_requests, 'refused request')]),
]

/** The usage of an organization's plan, as text. */
const usageText = ({ usage }: Pick<FoundOrganization, 'usage'>): string =>
  [
    amount(usage.profiles, 'profile'),
    amount(usage.sources, 'source'),
    amount(usage.destinations, 'destination'),
    amount(usage.audiences, 'audience'),
  ].join(', ')

const Health = (organization: FoundOrganization) => {
  const problems = problemsOf(organization)
  if (problems.length === 0) return <Badge tone="success">Healthy</Badge>
  return (
    <span className="flex flex-wrap gap-1">
      {problems.map((problem) => (
        <Badge key={problem} tone="warning">
          {problem}
        </Badge>
      ))}
    </span>
  )
}

const Plan = ({ plan_title }: Pick<FoundOrganization, 'plan_title'>) => <Badge tone="outline">{plan_title}</Badge>

/** A link for acting on behalf of the organization, with its first workspace selected. */
const Name = ({ display_name, workspace }: Pick<FoundOrganization, 'display_name' | 'workspace'>) => {
  const own = useWorkspace().name
  if (workspace === '') return <span className="block truncate font-medium">{display_name}</span>
  return (
    <Link
      to={`${paths.actOnBehalf(own)}?workspace=${slugOf(workspace)}`}
      title={`Act on behalf of ${display_name}`}
      className="block truncate rounded-sm font-medium text-accent-ink hover:underline"
    >
      {display_name}
    </Link>
  )
}

const columns: readonly Column<FoundOrganization>[] = [
  {
    id: 'organization',
    header: 'Organization',
    cell: (organization) => (
      <span className="block min-w-0 py-1.5">
        <Name {...organization} />
        <span className="block truncate text-xs text-ink-3">
          {amount(organization.usage.members, 'member')}, {amount(organization.usage.workspaces, 'workspace')}
        </span>
        <span className="block text-xs text-ink-2 lg:hidden">{usageText(organization)}</span>
        <span className="mt-1 flex flex-wrap gap-1 sm:hidden">
          <Plan {...organization} />
          <Health {...organization} />
        </span>
      </span>
    ),
  },
  {
    id: 'plan',
    header: 'Plan',
    cell: Plan,
    wide: true,
    width: 'sm:w-28',
  },
  {
    id: 'usage',
    header: 'Usage',
    cell: (organization) => <span className="text-xs text-ink-2">{usageText(organization)}</span>,
    wide: 'lg',
    width: 'lg:w-72',
  },
  { id: 'health', header: 'Health', cell: Health, wide: true, width: 'sm:w-52' },
]

const idOf = ({ name }: FoundOrganization): string => name

const Found = ({ search }: { search: string }) => {
  const query = useInfiniteQuery(foundOrganizationsQuery(search))
  const rows = useMemo(() => query.data?.pages.flatMap((page) => page.organizations) ?? [], [query.data])
  if (query.data === undefined && query.isError)
    return (
      <ErrorScreen error={query.error} onRetry={() => void query.refetch()} title="Failed to load the organizations" />
    )
  if (query.data === undefined) return <TableSkeleton rows={6} columns={4} />
  if (rows.length === 0)
    return (
      <EmptyState icon={<Building2 />} title="No organizations">
        No organization has this name.
      </EmptyState>
    )
  return (
    <>
      <DataTable label="Organizations" columns={columns} rows={rows} rowId={idOf} />
      <LoadMore query={query} />
    </>
  )
}

/** Every organization of the installation with its plan, usage, and health. */
export const OrganizationsPage = () => {
  const [search, setSearch] = useState('')
  const typed = useTyped(search, setSearch)
  return (
    <>
      <PageHeader title="Organizations" description="Plan, usage, and health of every organization." />
      <div className="space-y-4">
        <search aria-label="Filters">
          <SearchInput label="Search organizations" maxLength={100} {...typed} />
        </search>
        <Found search={search} />
      </div>
    </>
  )
}
