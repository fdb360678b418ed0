import { useState } from 'react'
import { BulkBar } from '../../ui/bulk-bar.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { ListBar } from '../../ui/list-bar.tsx'

type Row = { id: string; title: string; type: string }
const types = ['Web', 'iOS', 'Android']
const all: readonly Row[] = Array.from({ length: 30 }, (_, index) => ({
  id: `${index}`,
  title: `Object ${index}`,
  type: types[index % types.length] ?? '',
}))
const columns: readonly Column<Row>[] = [
  { id: 'title', header: 'Title', value: ({ title }) => title, cell: ({ title }) => title },
  { id: 'type', header: 'Type', value: ({ type }) => type, cell: ({ type }) => type, width: 'sm:w-32' },
]
const nothing: ReadonlySet<string> = new Set()
const idOf = (row: Row): string => row.id
const titleOf = (row: Row): string => row.title

/** A list page's parts: filters, chosen rows, and what is done to them, which fails for every seventh. */
export const KitList = () => {
  const [values, setValues] = useState({ search: '', type: '' })
  const [selected, setSelected] = useState(nothing)
  const rows = all.filter(
    ({ title, type }) => title.includes(values.search) && (values.type === '' || type === values.type),
  )
  return (
    <div className="w-full space-y-4">
      <ListBar
        label="Search objects"
        noun="object"
        filters={[
          {
            name: 'type',
            label: 'Type',
            any: 'All types',
            options: types.map((type) => ({ value: type, title: type })),
          },
        ]}
        values={values}
        onChange={(some) => setValues({ ...values, ...some })}
        shown={rows.length}
        total={all.length}
      />
      <DataTable
        label="Objects"
        columns={columns}
        rows={rows}
        rowId={idOf}
        selection={{ selected, onChange: setSelected, titleOf }}
      />
      <BulkBar
        noun="object"
        rows={rows.filter(({ id }) => selected.has(id))}
        idOf={idOf}
        titleOf={titleOf}
        onSelect={setSelected}
        onSettled={() => undefined}
        actions={[
          {
            label: 'Delete',
            done: 'deleted',
            danger: true,
            text: 'They are gone then.',
            run: ({ id }) =>
              Number(id) % 7 === 0 ? Promise.reject(new Error('The server said no.')) : Promise.resolve(),
          },
        ]}
      />
    </div>
  )
}
