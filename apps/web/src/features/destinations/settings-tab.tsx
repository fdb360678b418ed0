import { type Destination, destinationTitle } from '@tributary/contract'
import { ReadOnlyNote } from '../../components/settings/read-only-note.tsx'
import { SettingsCard } from '../../components/settings/settings-card.tsx'
import { TitleCard } from '../../components/settings/title-card.tsx'
import { useDeletedSyncs } from '../../components/syncs-of.tsx'
import { destinationIds } from '../../lib/format/names.ts'
import { paths } from '../../lib/paths.ts'
import { useMayEdit } from '../../lib/workspace.ts'
import { Card } from '../../ui/card.tsx'
import { Switch } from '../../ui/forms/switch.tsx'
import { DeleteCard } from '../../ui/page/delete-card.tsx'
import { ConnectionCard } from './connection-card.tsx'
import { ConsentCard } from './consent-card.tsx'
import { useDeleteDestination, useUpdateDestination, useUpdateSetting } from './mutations.ts'
import { PeopleListCard } from './people-lists/people-list-card.tsx'
import { TestConnectionCard } from './test-connection.tsx'

const EnabledCard = ({ destination, mayEdit }: { destination: Destination; mayEdit: boolean }) => {
  const update = useUpdateDestination(destination)
  return (
    <Card
      title="Deliver events"
      description={
        destination.enabled
          ? 'Events from connected sources are delivered as they arrive. Turn off to hold them until you resume.'
          : 'Events are held. After a day they may become dead letters, which are kept until you retry them.'
      }
      action={
        <Switch
          checked={destination.enabled}
          disabled={!mayEdit || update.isPending}
          label="Deliver events"
          onChange={(enabled) => update.mutate({ enabled })}
        />
      }
      className="pb-4"
    />
  )
}

/** Title, settings, connection test, consent, switch, and deletion of a destination. */
export const SettingsTab = ({ destination }: { destination: Destination }) => {
  const mayEdit = useMayEdit() === true
  const update = useUpdateDestination(destination)
  const setting = useUpdateSetting(destination)
  const remove = useDeleteDestination(destination)
  const deleted = useDeletedSyncs((sync) => sync.destination.name === destination.name)
  const ready = destination.state === 'ready'
  const settings = (
    <SettingsCard
      // With this key, the card keeps typed text when it moves to the other position.
      key="settings"
      description={
        ready
          ? 'Each setting is saved separately and applies from the next delivery.'
          : 'Each setting is saved separately. Delivery starts once all required settings are set.'
      }
      settings={destination.app.settings}
      mayEdit={mayEdit}
      onSave={setting.mutateAsync}
    />
  )
  return (
    <div className="max-w-2xl space-y-5">
      <ReadOnlyNote />
      {/* If settings are missing, their card comes first. */}
      {!ready && settings}
      <TitleCard
        key={destination.title}
        title={destination.title}
        rule={destinationTitle}
        mayEdit={mayEdit}
        onSave={(title) => update.mutateAsync({ title })}
      />
      {destination.grant !== null && <ConnectionCard destination={destination} grant={destination.grant} />}
      {ready && settings}
      {mayEdit && <PeopleListCard destination={destination} />}
      {mayEdit && ready && <TestConnectionCard key={destination.update_time} destination={destination} />}
      <ConsentCard
        key={JSON.stringify(destination.consent_categories)}
        categories={destination.consent_categories}
        mayEdit={mayEdit}
        onSave={(consent_categories) => update.mutateAsync({ consent_categories })}
      />
      <EnabledCard destination={destination} mayEdit={mayEdit} />
      {mayEdit && (
        <DeleteCard
          label="Delete destination"
          description="Deleting it prevents any future synchronization to this destination. Held events are not delivered."
          mutation={remove}
          list={paths.destinations(`workspaces/${destinationIds(destination.name).workspace}`)}
          checking={deleted === undefined}
        >
          Are you sure you want to delete the {destination.title} destination? No data will be synchronized to it in
          future. {deleted}
        </DeleteCard>
      )}
    </div>
  )
}
