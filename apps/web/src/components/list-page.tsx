import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { AppIcon } from '../ui/app-icon.tsx'
import { EmptyState } from '../ui/page/empty-state.tsx'
import { PageHeader } from '../ui/page/page-header.tsx'
import { TableSkeleton } from '../ui/page/skeleton.tsx'
import { QueryView } from './query-view.tsx'

/**
 * A page that lists objects of one kind. While the list is empty, it shows an introduction with the button that creates
 * the first one. The `children` are the list, as a `ListView`.
 */
export const ListPage = <Item,>({
  title,
  description,
  query,
  errorTitle,
  crumbs,
  action,
  empty,
  children,
}: {
  title: string
  description: ReactNode
  query: UseQueryResult<readonly Item[]>
  errorTitle: string
  /** Breadcrumbs, for a list that is part of an area. */
  crumbs?: readonly { label: string; to: string }[]
  /**
   * The button that creates an object, shown in the header and in the empty page. Absent for users who can only read.
   */
  action: ReactNode
  empty: { icon: ReactNode; title: string; text: ReactNode }
  children: (items: readonly Item[]) => ReactNode
}) => (
  <>
    <PageHeader
      title={title}
      description={description}
      {...(crumbs === undefined ? {} : { crumbs })}
      action={(query.data?.length ?? 0) > 0 && action}
    />
    <QueryView query={query} skeleton={<TableSkeleton />} errorTitle={errorTitle}>
      {(items) =>
        items.length === 0 ? (
          <EmptyState icon={empty.icon} title={empty.title} action={action}>
            {empty.text}
          </EmptyState>
        ) : (
          children(items)
        )
      }
    </QueryView>
  </>
)

/** The first cell of a list: the logo and the title, which links to the page of the row unless `to` is undefined. */
export const TitleCell = ({ icon, title, to }: { icon: string; title: string; to: string | undefined }) => (
  <span className="flex min-w-0 items-center gap-3">
    <AppIcon icon={icon} />
    {to === undefined ? (
      <span className="truncate font-medium">{title}</span>
    ) : (
      <Link to={to} className="truncate rounded-sm font-medium hover:underline" title={title}>
        {title}
      </Link>
    )}
  </span>
)
