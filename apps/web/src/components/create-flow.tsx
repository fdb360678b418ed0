import type { UseQueryResult } from '@tanstack/react-query'
import { editors } from '@tributary/contract'
import type { ReactNode } from 'react'
import { Card } from '../ui/card.tsx'
import { Form, SubmitButton, TextField } from '../ui/forms/form.tsx'
import { type FormHandle, useFirstField } from '../ui/forms/form-state.ts'
import { PageHeader } from '../ui/page/page-header.tsx'
import { CardSkeleton, Skeleton } from '../ui/page/skeleton.tsx'
import { type CatalogCard, CatalogGrid, CatalogSkeleton } from './catalog-grid.tsx'
import { FormLayout } from './docs-panel.tsx'
import { QueryView } from './query-view.tsx'
import { RequireAccess } from './require-access.tsx'

type Place = { label: string; to: string }

/** The first step of creating an object: the page on which users choose its kind. */
export const ChooseStep = <App,>({
  noun,
  description,
  list,
  query,
  cardOf,
  order,
  action,
  otherwise,
}: {
  /** The kind of object, such as "source". */
  noun: string
  description: string
  /** The page that lists these objects; a link leads back to it. */
  list: Place
  query: UseQueryResult<readonly App[]>
  cardOf: (app: App) => CatalogCard
  /** The order of the categories. */
  order?: readonly string[]
  /** A further way to create an object. */
  action?: ReactNode
  /** Shown if nothing in the catalog matches: the next step of users. */
  otherwise?: ReactNode
}) => (
  <>
    <PageHeader
      title={`Add ${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`}
      documentTitle={`${noun.charAt(0).toUpperCase()}${noun.slice(1)} catalog`}
      description={description}
      crumbs={[list]}
      action={action}
    />
    <QueryView query={query} skeleton={<CatalogSkeleton />} errorTitle="Failed to load the catalog">
      {(apps) => (
        <CatalogGrid
          label={`Search ${noun}s`}
          noun={noun}
          cards={apps.map(cardOf)}
          otherwise={otherwise}
          {...(order && { order })}
        />
      )}
    </QueryView>
  </>
)

/** The skeleton of a `FillStep` while its data is loading. */
export const FillSkeleton = () => (
  <div aria-busy className="space-y-6">
    <div className="space-y-2">
      <Skeleton className="h-6 w-40" />
      <Skeleton className="h-4 w-72" />
    </div>
    <FormLayout aside={<CardSkeleton />}>
      <CardSkeleton lines={6} />
    </FormLayout>
  </div>
)

/**
 * The frame of a `FillStep`. Loads the chosen catalog entry and shows a skeleton until then. Users who cannot create
 * the object see the no-access message.
 */
export const FillPage = <App,>({
  query,
  errorTitle,
  children,
}: {
  query: UseQueryResult<App>
  errorTitle: string
  children: (app: App) => ReactNode
}) => (
  <RequireAccess allowed={editors} skeleton={<FillSkeleton />}>
    <QueryView page query={query} skeleton={<FillSkeleton />} errorTitle={errorTitle}>
      {children}
    </QueryView>
  </RequireAccess>
)

/**
 * The last step of creating an object: a page with one form. The title has the focus, Enter submits, errors are shown
 * below each field, and the breadcrumbs lead a step back. `onSubmit` opens the new object at its next task.
 */
export const FillStep = <T extends { title: string }>({
  noun,
  description,
  list,
  catalog,
  form,
  onSubmit,
  aside,
  children,
}: {
  noun: string
  description: string
  list: Place
  /** The URL of the first step. */
  catalog: string
  form: FormHandle<T>
  onSubmit: (values: T) => Promise<unknown>
  /** Help beside the form. */
  aside: ReactNode
  /** The fields after the title. */
  children: ReactNode
}) => {
  useFirstField(form, 'title')
  return (
    <>
      <PageHeader title={`New ${noun}`} description={description} crumbs={[list, { label: 'Catalog', to: catalog }]} />
      <FormLayout aside={aside}>
        <Card>
          <Form form={form} onSubmit={onSubmit} label={`New ${noun}`} className="space-y-5">
            <TextField
              name="title"
              label="Title"
              required
              hint={`Give your ${noun} a name`}
              placeholder={`Enter your ${noun} name`}
              autoComplete="off"
            />
            {children}
            <div className="flex justify-end">
              <SubmitButton>Create</SubmitButton>
            </div>
          </Form>
        </Card>
      </FormLayout>
    </>
  )
}
