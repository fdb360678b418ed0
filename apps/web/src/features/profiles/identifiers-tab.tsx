import { useMutation, useQueryClient } from '@tanstack/react-query'
import { methods, type Profile, type ProfileIdentifier } from '@tributary/contract'
import { Split } from 'lucide-react'
import { useMemo, useState } from 'react'
import { call } from '../../lib/api/client.ts'
import { profileIds, workspaceIds } from '../../lib/format/names.ts'
import { count, pluralise } from '../../lib/format/text.ts'
import { profileQuery } from '../../lib/queries/profile-queries.ts'
import { refresh } from '../../lib/queries/query.ts'
import { useMayEdit, useWorkspace } from '../../lib/workspace.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { type Column, DataTable } from '../../ui/lists/data-table.tsx'
import { DangerDialog } from '../../ui/overlays/danger-dialog.tsx'
import { notify } from '../../ui/overlays/toast.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { lookAlike } from './look-alike.ts'
import { kindOf } from './profile-words.ts'

type Row = ProfileIdentifier & { id: string }

const Value = ({ value }: { value: string }) => {
  const warning = lookAlike(value)
  return (
    <span className="flex items-center gap-2">
      <span className="truncate py-1.5 font-mono text-xs" title={value}>
        {value}
      </span>
      {warning !== undefined && (
        <Badge tone="warning" title="It may look like another identifier. Identifiers are compared exactly.">
          {warning}
        </Badge>
      )}
    </span>
  )
}

const columns: readonly Column<Row>[] = [
  {
    id: 'value',
    header: 'Identifier',
    cell: ({ value }) => <Value value={value} />,
  },
  {
    id: 'type',
    header: 'Kind',
    value: ({ type }) => kindOf(type),
    cell: ({ type }) => <span className="text-ink-2">{kindOf(type)}</span>,
    width: 'sm:w-44',
  },
  {
    id: 'time',
    header: 'First seen',
    value: ({ create_time }) => create_time,
    cell: ({ create_time }) => <RelativeTime time={create_time} className="text-ink-2" />,
    align: 'right',
    wide: true,
    width: 'sm:w-36',
    className: 'whitespace-nowrap',
  },
]

const idOf = ({ id }: Row): string => id

const useSplit = (profile: string) => {
  const cache = useQueryClient()
  const workspace = useWorkspace().name
  return useMutation({
    mutationFn: (identifiers: readonly Row[]) =>
      call(methods.profiles.split, {
        params: profileIds(profile),
        body: { identifiers: identifiers.map(({ type, value }) => ({ type, value })) },
      }),
    onSuccess: (left) => {
      cache.setQueryData(profileQuery(profile).queryKey, left)
      notify('success', 'Profile Split')
    },
    onSettled: () => refresh(cache, ['profiles'], workspaceIds(workspace)),
  })
}

const none: ReadonlySet<string> = new Set()

/** The identifiers of a user. Editors can split off identifiers that belong to another user. */
export const IdentifiersTab = ({ profile }: { profile: Profile }) => {
  const mayEdit = useMayEdit() === true
  const [selected, setSelected] = useState(none)
  const [asked, setAsked] = useState(false)
  const split = useSplit(profile.name)
  const rows = useMemo(
    () => profile.identifiers.map((each): Row => ({ ...each, id: `${each.type}:${each.value}` })),
    [profile.identifiers],
  )
  const chosen = rows.filter(({ id }) => selected.has(id))
  const several = mayEdit && rows.length > 1
  return (
    <div className="space-y-3">
      <DataTable
        label="Identifiers"
        columns={columns}
        rows={rows}
        rowId={idOf}
        selection={
          several
            ? { selected, onChange: setSelected, titleOf: ({ type, value }) => `${kindOf(type)} ${value}` }
            : undefined
        }
      />
      {several && (
        <div className="flex flex-wrap items-center gap-3">
          <Button
            disabled={chosen.length === 0 || chosen.length === rows.length}
            onClick={() => {
              split.reset()
              setAsked(true)
            }}
          >
            <Split aria-hidden />
            Split off
          </Button>
          <p className="text-xs text-ink-3">Select the identifiers that belong to another user.</p>
        </div>
      )}
      {asked && (
        <DangerDialog
          title="Split profile"
          confirmLabel="Split"
          mutation={split}
          variables={chosen}
          onDone={() => setSelected(none)}
          onClosed={() => setAsked(false)}
        >
          {count(chosen.length)} {pluralise(chosen.length, 'identifier')} will become a separate profile, with{' '}
          {chosen.length === 1 ? 'its' : 'their'} events and traits, and will never be merged with this profile again. A
          split can't be undone.
        </DangerDialog>
      )}
    </div>
  )
}
