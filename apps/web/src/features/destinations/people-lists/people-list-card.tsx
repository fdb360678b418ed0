import type { Destination } from '@tributary/contract'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { ChooseList } from '../../../components/people-lists/choose-list.tsx'
import { atStart, type ListsOf, listsOf } from '../../../components/people-lists/people-list.ts'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { notifyRefusal } from '../../../ui/overlays/toast.tsx'
import { useUpdateSetting } from '../mutations.ts'
import { CreateListDialog } from './create-list-dialog.tsx'
import { ListFacts } from './list-facts.tsx'

const Lists = ({ destination, lists }: { destination: Destination; lists: ListsOf }) => {
  const [choosing, setChoosing] = useState(false)
  const [creating, setCreating] = useState(false)
  const update = useUpdateSetting(destination)
  const { title, setting, chosen } = lists
  const choose = (value: string): void => {
    if (value === chosen) return setChoosing(false)
    update.mutate(
      { name: setting, value },
      {
        onSuccess: () => setChoosing(false),
        onError: (error) => notifyRefusal(`Could not choose the ${title}`, error),
      },
    )
  }
  return (
    <Card
      title={atStart(title)}
      description={
        chosen === ''
          ? 'Choose where people of events go to. Until then, events wait.'
          : 'Where people of events go to, and what the platform says of it.'
      }
      footer={
        <>
          {!choosing && (
            <Button onClick={() => setChoosing(true)}>{chosen === '' ? 'Choose' : 'Choose another'}</Button>
          )}
          <Button onClick={() => setCreating(true)}>
            <Plus aria-hidden />
            Create {title}
          </Button>
        </>
      }
    >
      <div className="space-y-4">
        {choosing && (
          <ChooseList destination={destination.name} lists={lists} disabled={update.isPending} onChoose={choose} />
        )}
        {chosen !== '' && <ListFacts key={chosen} destination={destination.name} id={chosen} />}
        {chosen === '' && !choosing && <p className="text-sm text-ink-2">None is chosen.</p>}
      </div>
      <CreateListDialog open={creating} destination={destination} lists={lists} onClose={() => setCreating(false)} />
    </Card>
  )
}

/** The list of people of a destination for editors: what the platform says of it, another choice, and a new list. */
export const PeopleListCard = ({ destination }: { destination: Destination }) => {
  const lists = listsOf(destination)
  return lists !== undefined && <Lists key={destination.update_time} destination={destination} lists={lists} />
}
