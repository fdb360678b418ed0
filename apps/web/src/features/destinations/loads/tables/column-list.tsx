import type { WarehouseTableResource } from '@tributary/contract'
import { MoreHorizontal, Pencil, Trash2, Type } from 'lucide-react'
import { useMemo, useState } from 'react'
import { IconButton } from '../../../../ui/icon-button.tsx'
import { type Column, DataTable } from '../../../../ui/lists/data-table.tsx'
import { Menu, MenuItem } from '../../../../ui/overlays/menu.tsx'
import { ChangeTypeDialog } from './change-type-dialog.tsx'
import { DropColumnDialog } from './drop-column-dialog.tsx'
import { RenameColumnDialog } from './rename-column-dialog.tsx'

type WarehouseColumn = WarehouseTableResource['columns'][number]
type Asked = { what: 'type' | 'name' | 'drop'; of: WarehouseColumn }

const Changes = ({ of, onAsk }: { of: WarehouseColumn; onAsk: (asked: Asked) => void }) => (
  <Menu
    align="end"
    trigger={<IconButton label={`Change ${of.column}`} icon={MoreHorizontal} size="sm" className="-mr-1.5" />}
  >
    <MenuItem icon={<Type aria-hidden />} onSelect={() => onAsk({ what: 'type', of })}>
      Change type
    </MenuItem>
    <MenuItem icon={<Pencil aria-hidden />} onSelect={() => onAsk({ what: 'name', of })}>
      Rename
    </MenuItem>
    <MenuItem icon={<Trash2 aria-hidden />} danger onSelect={() => onAsk({ what: 'drop', of })}>
      Drop column
    </MenuItem>
  </Menu>
)

const columnsWith = (onAsk: (asked: Asked) => void): readonly Column<WarehouseColumn>[] => [
  {
    id: 'column',
    header: 'Column',
    value: ({ column }) => column,
    cell: ({ column, type }) => (
      <span className="block min-w-0 py-1.5">
        <span className="block truncate font-mono text-xs" title={column}>
          {column}
        </span>
        <span className="block truncate text-xs text-ink-2 sm:hidden" title={type}>
          {type}
        </span>
      </span>
    ),
  },
  {
    id: 'type',
    header: 'Type',
    value: ({ type }) => type,
    cell: ({ type }) => (
      <span className="block truncate text-xs text-ink-2" title={type}>
        {type}
      </span>
    ),
    width: 'sm:w-56',
    wide: true,
  },
  {
    id: 'changes',
    header: 'Change',
    cell: (of) => (of.fixed ? <span className="text-xs text-ink-3">Fixed</span> : <Changes of={of} onAsk={onAsk} />),
    align: 'right',
    width: 'sm:w-20',
  },
]

const idOf = ({ column }: WarehouseColumn): string => column

/** The columns of a table with their types. Each that is not fixed has a menu of changes. */
export const ColumnList = ({
  destination,
  table: { table, columns: found },
  types,
  onChanging,
}: {
  /** A resource name. */
  destination: string
  table: WarehouseTableResource
  types: readonly string[]
  onChanging: () => void
}) => {
  const [asked, setAsked] = useState<Asked>()
  const columns = useMemo(() => columnsWith(setAsked), [])
  const part =
    asked === undefined
      ? undefined
      : { destination, table, column: asked.of.column, onChanging, onClosed: () => setAsked(undefined) }
  return (
    <>
      <DataTable label={`Columns of ${table}`} columns={columns} rows={found} rowId={idOf} />
      {asked?.what === 'type' && part !== undefined && (
        <ChangeTypeDialog {...part} type={asked.of.type} types={types} />
      )}
      {asked?.what === 'name' && part !== undefined && (
        <RenameColumnDialog {...part} taken={found.map(({ column }) => column)} />
      )}
      {asked?.what === 'drop' && part !== undefined && <DropColumnDialog {...part} />}
    </>
  )
}
