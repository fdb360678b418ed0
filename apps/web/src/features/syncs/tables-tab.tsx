import type { DataSource } from '@tributary/contract'
import { Plus, Table2 } from 'lucide-react'
import { useState } from 'react'
import { paths } from '../../lib/paths.ts'
import { useMayEdit } from '../../lib/workspace.ts'
import { ButtonLink } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/page/empty-state.tsx'
import { TableBrowser, TableColumns, type TableName, tableTitle } from './table-browser.tsx'

/** The tables of a data source, and the columns of one. */
export const TablesTab = ({ dataSource }: { dataSource: DataSource }) => {
  const [chosen, setChosen] = useState<TableName | undefined>()
  const mayEdit = useMayEdit() === true
  if (!mayEdit)
    return (
      <EmptyState icon={<Table2 />} title="Tables are shown to editors">
        Listing them queries your database. Ask an administrator for the collaborator role.
      </EmptyState>
    )
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-5 lg:grid-cols-[minmax(0,2fr)_minmax(0,3fr)]">
      <TableBrowser dataSource={dataSource.name} chosen={chosen} onChoose={setChosen} />
      {chosen === undefined ? (
        <EmptyState icon={<Table2 />} title="Choose a table">
          Its columns are shown here.
        </EmptyState>
      ) : (
        <section aria-label={tableTitle(chosen)} className="min-w-0 space-y-3">
          <div className="flex flex-wrap items-center justify-between gap-2">
            <h2 className="min-w-0 truncate text-base font-semibold">{tableTitle(chosen)}</h2>
            <ButtonLink size="sm" to={paths.newModel(dataSource.name, chosen)}>
              <Plus aria-hidden />
              Create model
            </ButtonLink>
          </div>
          <TableColumns dataSource={dataSource.name} table={chosen} />
        </section>
      )}
    </div>
  )
}
