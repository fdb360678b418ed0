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

/** Reads what a page is about, and shows its `DetailView`; what one page keeps is not carried over to the next. */
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
 * The page of one thing: where it is listed, its logo, title and state, what somebody has to see to first, and its tabs.
 * The first tab that has no hash is shown by the bare address.
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
  /** What it is made of, such as "Webhook". */
  kind: string
  /** How it is when that is out of the ordinary, such as "Paused"; '' when it is not. */
  state: string
  icon: string
  /** The catalog entry it is made of, where that has the documentation of the page. */
  app?: string
  /** The page that lists its like. */
  list: { label: string; to: string }
  notices?: ReactNode
  /** What the strip of tabs is called: what the thing is, such as "Source". */
  label: string
  tabs: readonly TabItem[]
}) => (
  <>
    <PageHeader
      title={title}
      documentTitle={title}
      description={state === '' ? kind : `${kind} · ${state}`}
      icon={<AppIcon icon={icon} size="lg" />}
      app={app}
      crumbs={[list]}
    />
    {notices}
    <Tabs browsable label={label} tabs={tabs} />
  </>
)
