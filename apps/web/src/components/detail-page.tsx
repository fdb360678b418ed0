import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { AppIcon } from '../ui/app-icon.tsx'
import { PageHeader } from '../ui/page/page-header.tsx'
import { Skeleton, TableSkeleton } from '../ui/page/skeleton.tsx'
import { type TabItem, Tabs } from '../ui/tabs.tsx'
import { QueryView } from './query-view.tsx'

const Loading = () => (
  <div aria-busy>
    <div className="mb-6 flex items-center gap-4 pt-7">
      <Skeleton className="size-11 rounded-md" />
      <div className="space-y-2">
        <Skeleton className="h-5 w-48" />
        <Skeleton className="h-3 w-28" />
      </div>
    </div>
    <div className="mb-5 h-9 border-b border-line" />
    <TableSkeleton rows={6} />
  </div>
)

/** Loads the object of a page, and shows its `DetailView`; the state of one page is not kept for the next. */
export const DetailPage = <Item extends { name: string }>({
  query,
  errorTitle,
  View,
}: {
  query: UseQueryResult<Item>
  errorTitle: string
  View: (props: { item: Item }) => ReactNode
}) => (
  <QueryView page query={query} skeleton={<Loading />} errorTitle={errorTitle}>
    {(item) => <View key={item.name} item={item} />}
  </QueryView>
)

/**
 * The page of one object: the link to its list, its logo, title and state, its urgent notices, and its tabs. The plain
 * URL shows the first tab, without a hash.
 */
export const DetailView = ({
  title,
  kind,
  state,
  icon,
  app,
  list,
  notices,
  label,
  tabs,
}: {
  title: string
  /** The kind of the object, such as "Webhook". */
  kind: string
  /** The state of the object if it is exceptional, such as "Paused"; otherwise ''. */
  state: string
  icon: string
  /** The catalog entry of the object, if its documentation is that of the page. */
  app?: string
  /** The page that lists these objects. */
  list: { label: string; to: string }
  notices?: ReactNode
  /** The label of the tabs: the kind of object, such as "Source". */
  label: string
  tabs: readonly TabItem[]
}) => (
  <>
    <PageHeader
      title={title}
      description={state === '' ? kind : `${kind} · ${state}`}
      icon={<AppIcon icon={icon} size="lg" />}
      app={app}
      crumbs={[list]}
    />
    {notices}
    <Tabs browsable label={label} tabs={tabs} />
  </>
)
