import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ChooseList } from '../../../components/people-lists/choose-list.tsx'
import { listsOf } from '../../../components/people-lists/people-list.ts'
import { destinationQuery } from '../../../lib/queries/workspace-queries.ts'
import { Button } from '../../../ui/button.tsx'

/** Offers the lists of people at the platform of a destination for the name of an object, if it has any. */
export const ChoosePeopleList = ({
  destination,
  name,
  onChoose,
}: {
  /** Resource name of the destination. */
  destination: string
  /** The entered name of the object. */
  name: string
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
        setChoosing(false)
      }}
    />
  )
}
