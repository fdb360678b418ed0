import { useQuery } from '@tanstack/react-query'
import type { DataSource } from '@tributary/contract'
import { Database, Plus } from 'lucide-react'
import { useNavigate } from 'react-router'
import { ListPage, TitleCell } from '../../components/list-page.tsx'
import { count } from '../../lib/format/text.ts'
import { paths } from '../../lib/paths.ts'
import { dataSourcesQuery } from '../../lib/queries/data-source-queries.ts'
import { useMayEdit, useWorkspace } from '../../lib/workspace.ts'
import { ButtonLink } from '../../ui/button.tsx'
import { type Column, DataTable } from '../../ui/lists/data-table.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'

const columns: readonly Column<DataSource>[] = [
  {
    id: 'title',
    header: 'Data source',
    value: ({ title }) => title.toLowerCase(),
    cell: ({ name, title, app }) => <TitleCell icon={app.extra.app_icon} title={title} to={paths.dataSource(name)} />,
  },
  {
    id: 'app',
    header: 'Type',
    value: ({ app }) => app.title,
    cell: ({ app }) => <span className="text-ink-2">{app.title}</span>,
    width: 'sm:w-36',
    wide: true,
  },
  {
    id: 'models',
    header: 'Models',
    value: ({ model_count }) => model_count,
    cell: ({ model_count }) => count(model_count),
    align: 'right',
    width: 'sm:w-24',
  },
  {
    id: 'created',
    header: 'Created',
    value: ({ create_time }) => create_time,
    cell: ({ create_time }) => <RelativeTime time={create_time} className="text-ink-2" />,
    align: 'right',
    wide: true,
    width: 'sm:w-36',
    className: 'whitespace-nowrap',
  },
]

const idOf = ({ name }: DataSource): string => name

/** The data sources of the workspace. */
export const DataSourcesPage = () => {
  const workspace = useWorkspace()
  const navigate = useNavigate()
  const query = useQuery(dataSourcesQuery(workspace.name))
  const add = useMayEdit() === true && (
    <ButtonLink to={paths.catalogDataSources(workspace.name)} variant="primary">
      <Plus aria-hidden />
      Add data source
    </ButtonLink>
  )
  return (
    <ListPage
      title="Data sources"
      description="Databases and files that models are read from."
      query={query}
      errorTitle="Failed to load the data sources"
      action={add}
      empty={{
        icon: <Database />,
        title: 'Add your first data source',
        text: 'A data source is a database of yours, such as your warehouse, or a file. Models read its rows. Nothing is ever written to it.',
      }}
    >
      {(dataSources) => (
        <DataTable
          label="Data sources"
          columns={columns}
          rows={dataSources}
          rowId={idOf}
          onRowClick={({ name }) => void navigate(paths.dataSource(name))}
        />
      )}
    </ListPage>
  )
}
