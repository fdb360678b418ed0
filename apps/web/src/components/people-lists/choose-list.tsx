import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { PeopleList } from '@tributary/contract'
import { useEffect, useRef, useState } from 'react'
import { Field } from '../../ui/forms/field.tsx'
import { type SearchOption, SearchSelect } from '../../ui/forms/search-select.tsx'
import { type ListsOf, peopleListsQuery } from './people-list.ts'

const optionOf = ({ id, title, note }: PeopleList): SearchOption => ({
  value: id,
  title,
  note: note === '' ? id : `${note} · ${id}`,
})

/** A choice among the lists of the account. The platform is asked once, and typing searches by title and ID. */
export const ChooseList = ({
  destination,
  lists: { title, chosen },
  disabled,
  onChoose,
}: {
  destination: string
  lists: ListsOf
  disabled: boolean
  onChoose: (id: string) => void
}) => {
  const [typed, setTyped] = useState('')
  const trigger = useRef<HTMLButtonElement>(null)
  useEffect(() => trigger.current?.focus(), [])
  const found = useQuery({ ...peopleListsQuery(destination, typed.trim()), placeholderData: keepPreviousData })
  const lists = found.data?.people_lists ?? []
  const message = found.data?.message ?? ''
  const isEmpty = typed.trim() === '' && lists.length === 0
  const state = found.isError ? 'failed' : found.isFetching ? 'searching' : 'found'
  const hint = isEmpty && state === 'found' && message === '' ? `The account has no ${title} yet.` : message
  return (
    <Field
      label={`Choose a ${title}`}
      {...(isEmpty && message !== '' ? { error: message } : { hint: hint === '' ? undefined : hint })}
    >
      {(control) => (
        <SearchSelect
          label={`Choose a ${title}`}
          control={control}
          ref={trigger}
          placeholder={found.isLoading ? 'Asking the platform…' : 'Choose one of the account'}
          value={chosen}
          options={lists.map(optionOf)}
          disabled={disabled}
          found={{ onTyped: setTyped, state, more: (found.data?.next_page_token ?? '') !== '' }}
          onChange={onChoose}
        />
      )}
    </Field>
  )
}
