import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type Audience, type AudienceDestination, methods } from '@tributary/contract'
import { Unplug } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'react-router'
import { ConnectionFailure, ConnectionState } from '../../components/audience-connection.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { call } from '../../lib/api/client.ts'
import { failureText } from '../../lib/api/errors.ts'
import { audienceIds } from '../../lib/format/names.ts'
import { count, pluralise } from '../../lib/format/text.ts'
import { paths } from '../../lib/paths.ts'
import { audienceDestinationsQuery } from '../../lib/queries/audience-queries.ts'
import { refresh } from '../../lib/queries/query.ts'
import { useMayEdit } from '../../lib/workspace.ts'
import { AppIcon } from '../../ui/app-icon.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Select } from '../../ui/forms/input.tsx'
import { ConfirmDialog } from '../../ui/overlays/confirm-dialog.tsx'
import { notifyRefusal } from '../../ui/overlays/toast.tsx'
import { EmptyState } from '../../ui/page/empty-state.tsx'
import { TableSkeleton } from '../../ui/page/skeleton.tsx'
import { AudienceSyncs } from './audience-syncs.tsx'

type Change = 'connectDestination' | 'resend' | 'cancelFill' | 'disconnectDestination'

const useChange = (audience: Audience) => {
  const cache = useQueryClient()
  return useMutation<unknown, Error, { change: Change; destination: string }>({
    mutationFn: ({ change, destination }) =>
      call(methods.audiences[change], { params: audienceIds(audience.name), body: { destination } }),
    onSettled: () => refresh(cache, ['audiences'], { workspace: audienceIds(audience.name).workspace }),
  })
}

const Resend = ({ audience, destination }: { audience: Audience; destination: AudienceDestination }) => {
  const [asking, ask] = useState(false)
  const change = useChange(audience)
  const size = audience.size ?? 0
  return (
    <>
      <Button size="sm" aria-label={`Resend to ${destination.title}`} onClick={() => ask(true)}>
        Resend
      </Button>
      <ConfirmDialog
        open={asking}
        onOpenChange={ask}
        onClosed={change.reset}
        onConfirm={() => change.mutate({ change: 'resend', destination: destination.name })}
        kind="info"
        title={`Resend to ${destination.title}?`}
        confirmLabel="Resend"
        loading={change.isPending}
        done={change.isSuccess}
        error={change.isError ? failureText(change.error) : undefined}
      >
        {`It receives the ${count(size)} ${pluralise(size, 'profile')} in this audience once more.`}
      </ConfirmDialog>
    </>
  )
}

const Connected = ({ audience, destination }: { audience: Audience; destination: AudienceDestination }) => {
  const { name, title, app, state } = destination
  const change = useChange(audience)
  const mayEdit = useMayEdit() === true
  const run = (wanted: Change): void =>
    change.mutate(
      { change: wanted, destination: name },
      { onError: (error) => notifyRefusal('Could not change the connection', error) },
    )
  return (
    <li className="flex flex-wrap items-center gap-3 py-3">
      <AppIcon icon={app.extra.app_icon} className="size-6" />
      <div className="min-w-0 flex-1 basis-48">
        <Link
          to={paths.destination(name)}
          className="block truncate rounded-sm py-0.5 text-sm font-medium hover:underline"
        >
          {title}
        </Link>
        <ConnectionFailure of={destination} to={paths.destination(name, 'failures')} />
      </div>
      <ConnectionState of={destination} />
      <Link
        to={paths.deliveries(name, '', { audience: audience.name })}
        aria-label={`Deliveries to ${title}`}
        className="rounded-sm text-sm text-accent-ink hover:underline"
      >
        Deliveries
      </Link>
      {mayEdit && (
        <>
          {state === 'filling' ? (
            <Button size="sm" loading={change.isPending} onClick={() => run('cancelFill')}>
              Cancel sending
            </Button>
          ) : (
            <Resend audience={audience} destination={destination} />
          )}
          <Button
            size="sm"
            loading={change.isPending}
            aria-label={`Disconnect ${title}`}
            onClick={() => run('disconnectDestination')}
          >
            Disconnect
          </Button>
        </>
      )}
    </li>
  )
}

const Connect = ({
  audience,
  available,
}: {
  audience: Audience
  available: readonly { name: string; title: string }[]
}) => {
  const [chosen, choose] = useState('')
  const [asking, ask] = useState(false)
  const change = useChange(audience)
  const target = available.find(({ name }) => name === chosen) ?? available[0]
  if (target === undefined)
    return (
      <p className="text-sm text-ink-2">
        <Link
          to={paths.catalogDestinations(audienceIds(audience.name).workspace)}
          className="rounded-sm text-accent-ink hover:underline"
        >
          Add a destination
        </Link>{' '}
        to connect it here.
      </p>
    )
  const size = audience.size ?? 0
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Select
        aria-label="Destination"
        className="w-64"
        value={target.name}
        onChange={(event) => choose(event.target.value)}
      >
        {available.map(({ name, title }) => (
          <option key={name} value={name}>
            {title}
          </option>
        ))}
      </Select>
      <Button onClick={() => ask(true)}>Connect destination</Button>
      <ConfirmDialog
        open={asking}
        onOpenChange={ask}
        onConfirm={() => change.mutate({ change: 'connectDestination', destination: target.name })}
        kind="info"
        title={`Connect ${target.title}?`}
        confirmLabel="Connect"
        loading={change.isPending}
        done={change.isSuccess}
        error={change.isError ? failureText(change.error) : undefined}
      >
        {`It receives ${count(size)} ${pluralise(size, 'profile')} now, and every profile that enters or leaves from then on.`}
      </ConfirmDialog>
    </div>
  )
}

/** The destinations that receive the entries and exits of an audience, and the syncs that send its members. */
export const DestinationsTab = ({ audience }: { audience: Audience }) => {
  const mayEdit = useMayEdit() === true
  const query = useQuery(audienceDestinationsQuery(audience.name))
  return (
    <QueryView
      query={query}
      skeleton={<TableSkeleton rows={2} columns={2} />}
      errorTitle="Failed to load the destinations"
    >
      {({ destinations, available }) => (
        <div className="max-w-3xl space-y-5">
          {mayEdit && <Connect audience={audience} available={available} />}
          {destinations.length === 0 ? (
            <EmptyState icon={<Unplug />} title="No destinations">
              Connect a destination to send it every profile that enters or leaves.
            </EmptyState>
          ) : (
            <Card>
              <ul aria-label="Destinations" className="-my-3 divide-y divide-line">
                {destinations.map((destination) => (
                  <Connected key={destination.name} audience={audience} destination={destination} />
                ))}
              </ul>
            </Card>
          )}
          <AudienceSyncs audience={audience} />
        </div>
      )}
    </QueryView>
  )
}
