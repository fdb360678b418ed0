import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { destinationQuery } from '../../lib/queries/workspace-queries.ts'
import { Button } from '../../ui/button.tsx'
import { ChooseList } from './choose-list.tsx'
import { listsOf } from './people-list.ts'

/** Offers the lists of people at the platform of a destination, if it has any, for a value that is the ID of one. */
export const ChoosePeopleList = ({
  destination,
  name,
  staysOpen = false,
  onChoose,
}: {
  /** Resource name of the destination. */
  destination: string
  /** The entered ID. */
  name: string
  /** Whether the choice stays after a list is chosen, and shows its title. */
  staysOpen?: boolean
  onChoose: (name: string) => void
}) => {
  const [choosing, setChoosing] = useState(false)
  const { data } = useQuery(destinationQuery(destination))
  const lists = data === undefined ? undefined : listsOf(data)
  if (lists === undefined) return null
  if (!choosing)
    return (
      <Button size="sm" onClick={() => setChoosing(true)}>
        Choose a {lists.title}
      </Button>
    )
  return (
    <ChooseList
      destination={destination}
      lists={{ ...lists, chosen: name.trim() }}
      disabled={false}
      onChoose={(id) => {
        onChoose(id)
        setChoosing(staysOpen)
      }}
    />
  )
}
