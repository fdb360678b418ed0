import { useQuery } from '@tanstack/react-query'
import type { DataSource, Model } from '@tributary/contract'
import { Boxes, Plus } from 'lucide-react'
import { Link, useNavigate } from 'react-router'
import { QueryView } from '../../components/query-view.tsx'
import { paths } from '../../lib/paths.ts'
import { modelsQuery } from '../../lib/queries/data-source-queries.ts'
import { useMayEdit } from '../../lib/workspace.ts'
import { ButtonLink } from '../../ui/button.tsx'
import { type Column, DataTable } from '../../ui/lists/data-table.tsx'
import { EmptyState } from '../../ui/page/empty-state.tsx'
import { TableSkeleton } from '../../ui/page/skeleton.tsx'
import { draftOf } from './model-draft.ts'
import { tableTitle } from './table-browser.tsx'

const columns: readonly Column<Model>[] = [
  {
    id: 'title',
    header: 'Model',
    value: ({ title }) => title.toLowerCase(),
    cell: ({ name, title }) => (
      <Link to={paths.model(name)} title={title} className="block truncate rounded-sm font-medium hover:underline">
        {title}
      </Link>
    ),
  },
  {
    id: 'query',
    header: 'Rows of',
    cell: (model) => {
      const { table } = draftOf(model)
      return <span className="block truncate text-ink-2">{table === undefined ? 'SQL query' : tableTitle(table)}</span>
    },
    width: 'sm:w-64',
    wide: true,
  },
  {
    id: 'key',
    header: 'Primary key',
    cell: ({ primary_key }) => <span className="block truncate font-mono text-xs">{primary_key.join(', ')}</span>,
    width: 'sm:w-56',
  },
]

const idOf = ({ name }: Model): string => name

/** The models of a data source. */
export const ModelsTab = ({ dataSource }: { dataSource: DataSource }) => {
  const navigate = useNavigate()
  const query = useQuery(modelsQuery(dataSource.name))
  const add = useMayEdit() === true && (
    <ButtonLink to={paths.newModel(dataSource.name)} variant="primary">
      <Plus aria-hidden />
      New model
    </ButtonLink>
  )
  return (
    <QueryView query={query} skeleton={<TableSkeleton />} errorTitle="Failed to load the models">
      {(models) =>
        models.length === 0 ? (
          <EmptyState icon={<Boxes />} title="Create your first model" action={add}>
            A model is a table or a query with a primary key. Syncs read its rows.
          </EmptyState>
        ) : (
          <div className="space-y-4">
            <div className="flex justify-end">{add}</div>
            <DataTable
              label="Models"
              columns={columns}
              rows={models}
              rowId={idOf}
              onRowClick={({ name }) => void navigate(paths.model(name))}
            />
          </div>
        )
      }
    </QueryView>
  )
}
