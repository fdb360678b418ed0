import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type FoundWorkspace, maxSearchLength, methods } from '@tributary/contract'
import { useEffect, useRef, useState } from 'react'
import { slugOf } from '../../lib/format/names.ts'
import { personName } from '../../lib/people/person.ts'
import { query } from '../../lib/queries/query.ts'
import { Field } from '../../ui/forms/field.tsx'
import { type SearchOption, SearchSelect } from '../../ui/forms/search-select.tsx'

/** Maximum number of workspaces that a search returns. More typed text narrows the search. */
const foundLimit = 20

/** Workspaces of all organizations that match a search, for staff. */
const foundWorkspacesQuery = (text: string) =>
  query(methods.workspaces.find, { query: { search: text, page_size: foundLimit } }, { gcTime: 60_000, wait: 300 })

/**
 * Returns a found workspace as an option. The organization comes first, because titles of workspaces are often similar.
 * The matching members follow as a note.
 */
export const workspaceOption = ({ workspace, people }: FoundWorkspace): SearchOption => ({
  value: slugOf(workspace.name),
  title: `${workspace.organization?.display_name ?? ''} · ${workspace.title}`,
  note: people
    .map((person) => (personName(person) === person.email ? person.email : `${personName(person)} ${person.email}`))
    .join(', '),
})

/** Finds a workspace of any organization by title, organization, or name and email of a member; reports its ID. */
export const WorkspaceFinder = ({ chosen, onChoose }: { chosen: string; onChoose: (id: string) => void }) => {
  const [typed, setTyped] = useState('')
  // Kept because the search results no longer contain the chosen workspace after the list has closed.
  const [kept, setKept] = useState<SearchOption>()
  const trigger = useRef<HTMLButtonElement>(null)
  useEffect(() => trigger.current?.focus(), [])
  const text = typed.trim().slice(0, maxSearchLength)
  const found = useQuery({
    ...foundWorkspacesQuery(text),
    enabled: text !== '',
    placeholderData: keepPreviousData,
  })
  const options = text === '' ? [] : (found.data?.workspaces ?? []).map(workspaceOption)
  const shown = kept === undefined || text !== '' || kept.value !== chosen ? options : [kept]
  const state = text === '' ? 'idle' : found.isError ? 'failed' : found.isFetching ? 'searching' : 'found'
  return (
    <Field label="Find a workspace" hint="By organization, workspace, or a member's name or email.">
      {(control) => (
        <SearchSelect
          label="Find a workspace"
          control={control}
          ref={trigger}
          placeholder="Search all organizations"
          value={chosen}
          options={shown}
          found={{ onTyped: setTyped, state, more: text !== '' && (found.data?.next_page_token ?? '') !== '' }}
          onChange={(id) => {
            setKept(options.find(({ value }) => value === id))
            onChoose(id)
          }}
        />
      )}
    </Field>
  )
}
